import { describe, expect, it } from 'vitest'
import { lineTable, type LineEvent, type LineState } from './line-table.js'
import { playLine } from './play-line.js'

const cells = (Object.keys(lineTable) as readonly LineState[]).flatMap((state) =>
  (Object.keys(lineTable[state]) as readonly LineEvent[]).flatMap((event) => {
    const cell = lineTable[state][event]
    return cell === 'impossible' ? [] : [{ state, event, cell }]
  }),
)

describe('one of two lines', () => {
  it.each(cells)(
    'in the state: $state has the cell of the table after the event: $event',
    ({ state, event, cell }) => {
      expect(playLine(state, event)).toEqual(cell)
    },
  )
})
