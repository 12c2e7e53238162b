import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asciiFrame } from '../../../src/gateway/websocket/text-frame.js'
import { nextTurn } from '../../../src/base/time/clock.js'
import { caseCount } from '../../support/run/long.js'
import { createManualSession } from '../support/manual-session.js'

type Step = 'price' | 'confirmation' | 'rejection' | 'text' | 'pong' | 'turn'

const step = fc.constantFrom<Step>('price', 'confirmation', 'rejection', 'text', 'pong', 'turn')

const topic = {
  base: '0x1',
  topic: 'svc-0x1',
  position: undefined,
  isConfirmed: true,
  currentFrame: () => undefined,
  isUncertain: () => false,
} as const

/** Runs the steps, and then ends the connection. Returns what was written, and what its order must be. */
const run = async (steps: readonly Step[]) => {
  const { session, log } = createManualSession()
  const expected: string[] = []
  const order = (frame: string): string => {
    expected.push(frame)
    return frame
  }
  for (const [index, each] of steps.entries()) {
    if (each === 'price') session.send(asciiFrame(order(`price ${index}`)), topic)
    else if (each === 'rejection') session.reject(topic, order(`rejection ${index}`))
    else if (each === 'text') session.sendText(order(`text ${index}`))
    else if (each === 'pong') session.onPing(Buffer.from(order(`pong ${index}`).slice('pong '.length)))
    else if (each === 'turn') await nextTurn()
    else {
      session.confirm(topic)
      order('{"subscriptions":[]}')
    }
  }
  session.end('closing', order('close 1001 bye').slice('close 1001 '.length), 1)
  session.onClosed()
  await nextTurn()
  return { log, expected }
}

it('a price is written in its place among confirmations, rejections, texts, pongs and the close frame', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { log, expected } = await run(steps)
      expect(log).toEqual(expected)
    }),
    { numRuns: caseCount(2_000) },
  )
})
