import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Probes } from '../../../src/prices/acks/probes.js'

/** The client sends a subscribe frame or a probe, or the service answers its oldest unanswered frame. */
const step = fc.constantFrom('subscribe', 'probe', 'confirm', 'reject')

it('a confirmation answers a probe exactly if the service confirms it for that probe', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const probes = new Probes()
      const unanswered: ('subscribe' | 'probe')[] = []
      for (const next of steps) {
        if (next === 'subscribe') unanswered.push(next)
        else if (next === 'probe') {
          probes.start('0xa', unanswered.filter((frame) => frame === 'subscribe').length)
          unanswered.push(next)
        } else if (next === 'confirm' || unanswered[0] === 'probe') {
          // The service confirms every probe.
          const answered = unanswered.shift()
          if (answered !== undefined) expect(probes.onConfirmation()).toBe(answered === 'probe')
        } else if (unanswered.shift() !== undefined) probes.onErrorText()
        expect(probes.isPending).toBe(unanswered.includes('probe'))
      }
    }),
    { numRuns: 1000 },
  )
})

it('an error text of the service that answers no frame does not make a later confirmation an answer too early', () => {
  const probes = new Probes()
  probes.start('0xa', 2)
  probes.onErrorText()
  expect([probes.onConfirmation(), probes.onConfirmation()]).toEqual([false, true])
  expect(probes.isPending).toBe(false)
})
