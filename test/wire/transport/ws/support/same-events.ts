import { expect } from 'vitest'
import { PriceFrames } from '../../../../../src/wire/codec/fast-path.js'
import { eventLogOf, type EventLog, type EventLogOptions, type Removes } from './event-log.js'
import type { Script } from './fake-tcp-socket.js'
import { priceText } from './frames.js'
import { topics } from './valid-frames.js'

const prices = new PriceFrames<string>()
for (const topic of topics) prices.learn(priceText(topic, '1'), topic)

/** The sum of the bytes: a decision that depends only on the content. */
export const sum = (payload: Buffer): number => payload.reduce((total, byte) => total + byte, 0)

/** Which frames the taps remove. */
const removals: Readonly<Record<string, Removes>> = {
  always: () => true,
  never: () => false,
  'by content': (payload) => sum(payload) % 2 === 0,
  'learned prices': (payload) => prices.recognise(payload, 0, payload.length) !== undefined,
}

const transcriptOf = ({ events, sent }: EventLog): string => [...events, `sent ${sent}`].join('\n')

/** Counts over all cases of a test. */
export interface Tally {
  cases: number
  calls: number
  removed: number
  texts: number
}

/** Plays a script without a tap and with each kind of tap, and expects the same events and the same bytes sent. */
export const expectSameEvents = async (
  script: Script,
  options: Omit<EventLogOptions, 'removes'>,
  tally: Tally,
): Promise<void> => {
  const [withoutTap, ...overTaps] = await Promise.all([
    eventLogOf(script, { ...options, removes: undefined }),
    ...Object.values(removals).map((removes) => eventLogOf(script, { ...options, removes })),
  ])
  const expected = transcriptOf(withoutTap)
  tally.texts += withoutTap.events.filter((event) => event.startsWith('text')).length
  for (const [index, log] of overTaps.entries()) {
    tally.cases++
    tally.calls += log.calls
    tally.removed += log.removed
    // Comparing strings first is much faster than an assertion.
    if (transcriptOf(log) === expected) continue
    expect({ removal: Object.keys(removals)[index], transcript: transcriptOf(log) }).toEqual({
      transcript: expected,
    })
  }
}

export const newTally = (): Tally => ({ cases: 0, calls: 0, removed: 0, texts: 0 })

/**
 * Expects that taps removed frames, so that the test fails if they forward everything. The mean is 0.2 to 0.6 frames per
 * case; random cases have far fewer now and then.
 */
export const expectRemoved = ({ cases, removed }: Tally): void => {
  expect(removed / cases).toBeGreaterThan(0.02)
}
