import { describe, expect, it } from 'vitest'
import { nextFront, type LinePhase, type LineState } from '../../../src/client/prices/line.js'

type Names = 'front' | 'other'

/** Which line is in front, by the phase of the front and that of the other line. A missing cell does not compile. */
const table: Readonly<Record<LinePhase, Readonly<Record<LinePhase, Names>>>> = {
  connecting: row('other'),
  open: row('front'),
  ready: row('front'),
  behind: row('other'),
  silent: row('other'),
  waiting: { ...row('other'), open: 'other' },
}

/** A line that is not ready does not replace one that is connected. */
function row(ready: Names): Readonly<Record<LinePhase, Names>> {
  return { connecting: 'front', open: 'front', ready, behind: 'front', silent: 'front', waiting: 'front' }
}

interface NamedLine extends LineState {
  readonly name: string
}

const line = (name: string, phase: LinePhase, liveTopics = 1, lagMs?: number): NamedLine => ({
  name,
  phase,
  liveTopics,
  lagMs,
})

const phases = Object.keys(table) as readonly LinePhase[]

describe('nextFront', () => {
  const cells = phases.flatMap((front) => phases.map((other) => [front, other, table[front][other]] as const))

  it.each(cells)('with a front that is %s and a line that is %s returns the %s', (front, other, expected) => {
    const lines = [line('front', front), line('other', other)] as const
    expect(nextFront(lines, lines[0], false).name).toBe(expected)
  })

  it('lets the first dial of the front go on if it is patient', () => {
    const lines = [line('front', 'connecting'), line('other', 'ready')] as const
    expect(nextFront(lines, lines[0], true).name).toBe('front')
  })

  it('keeps a front that dials a further connection while the other line has fewer live topics', () => {
    const front = line('front', 'connecting', 2)
    expect(nextFront([front, line('other', 'ready', 1)], front, false).name).toBe('front')
    expect(nextFront([front, line('other', 'ready', 2)], front, false).name).toBe('other')
  })

  it('keeps a lost front if the other line is open, but has no price yet', () => {
    const lines = [line('front', 'waiting'), line('other', 'open', 0)] as const
    expect(nextFront(lines, lines[0], false).name).toBe('front')
  })

  it('prefers the line with more live topics, then the one with less lag', () => {
    const front = line('front', 'waiting')
    const few = line('few', 'ready', 1, 10)
    const late = line('late', 'ready', 3, 400)
    const best = line('best', 'ready', 3, 40)
    expect(nextFront([front, few, late, best], front, false).name).toBe('best')
  })
})
