import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/base/domain/address.js'
import { UnansweredFrames } from '../../../src/client/prices/outgoing-frames.js'

describe('UnansweredFrames', () => {
  /** Frames that the client sends, in order. */
  const sent = (...frames: readonly (readonly [Parameters<UnansweredFrames['onSent']>[0], Address])[]) => {
    const unanswered = new UnansweredFrames()
    for (const [kind, base] of frames) unanswered.onSent(kind, base)
    return unanswered
  }

  it('takes a confirmation for the answer to the oldest frame that subscribes a topic that it lists', () => {
    const unanswered = sent(['probe', '0xa'], ['probe', '0xb'], ['probe', '0xc'])
    expect(unanswered.onConfirmation(['0xd'])).toBe(0)
    expect(unanswered.onConfirmation(['0xb', '0xc'])).toBe(2)
    expect(unanswered.isProbing('0xb')).toBe(false)
    expect(unanswered.isProbing('0xc')).toBe(true)
  })

  it('never takes the answer to one of many requests of a topic that comes and goes for that to a probe', () => {
    const unanswered = sent(['subscribe', '0xa'])
    for (let round = 0; round < 3; round++) {
      unanswered.onSent('unsubscribe', '0xa')
      unanswered.onSent('subscribe', '0xa')
    }
    unanswered.onSent('probe', '0xa')
    const answers = [['0xa'], [], ['0xa'], [], ['0xa'], [], ['0xa'], ['0xa']] as const
    expect(answers.map((bases) => unanswered.onConfirmation(bases))).toEqual([0, 0, 0, 0, 0, 0, 0, 1])
  })

  it('waits for the answer to a subscribe frame although later frames are answered, unless the topic is unsubscribed', () => {
    const unanswered = sent(
      ['subscribe', '0xb'],
      ['subscribe', '0xc'],
      ['unsubscribe', '0xc'],
      ['probe', '0xa'],
    )
    const answers = [[], ['0xa']] as const
    expect(answers.map((bases) => unanswered.onConfirmation(bases))).toEqual([0, 1])
    for (let probe = 0; probe < 2; probe++) unanswered.onSent('probe', '0xa')
    const later = [['0xa', '0xb'], ['0xa', '0xc'], ['0xa']] as const
    expect(later.map((bases) => unanswered.onConfirmation(bases))).toEqual([0, 1, 1])
    expect(unanswered.size).toBe(0)
  })

  it('takes a confirmation that lists a topic for the first time for the answer to its request, or to a later frame', () => {
    const unanswered = sent(['probe', '0xa'], ['unsubscribe', '0xb'])
    unanswered.onSent('subscribe', '0xc', true)
    expect(unanswered.onConfirmation(['0xa', '0xc'])).toBe(1)
  })

  it('waits for no answers to unsubscribe frames once it has become known that the service sends none', () => {
    const unanswered = sent(['unsubscribe', '0xb'])
    unanswered.onSent('subscribe', '0xc', true)
    unanswered.onConfirmation(['0xc'])
    unanswered.onSent('unsubscribe', '0xd')
    unanswered.onSent('probe', '0xa')
    expect(unanswered.onConfirmation(['0xa'])).toBe(1)
    // It does after all.
    unanswered.onSent('unsubscribe', '0xe')
    unanswered.onConfirmation(['0xa'])
    unanswered.onSent('unsubscribe', '0xe')
    unanswered.onSent('probe', '0xa')
    expect([['0xa'], ['0xa']].map((bases) => unanswered.onConfirmation(bases as Address[]))).toEqual([0, 1])
  })

  it('counts a probe as answered exactly when a service that answers every frame has answered it', () => {
    const frame = fc.record({
      kind: fc.constantFrom('unsubscribe', 'probe', 'answer'),
      base: fc.constantFrom<Address>('0xb', '0xc'),
    })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 60 }), (frames) => {
        const unanswered = new UnansweredFrames()
        const kinds: string[] = []
        for (const { kind, base } of frames) {
          if (kind === 'answer') {
            if (kinds.shift() !== undefined) unanswered.onConfirmation(['0xa'])
          } else {
            unanswered.onSent(kind, kind === 'probe' ? '0xa' : base)
            kinds.push(kind)
          }
          expect(unanswered.probeCount).toBe(kinds.filter((each) => each === 'probe').length)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('takes no confirmation for the answer to a probe after more than 100,000 frames without an answer', () => {
    const unanswered = new UnansweredFrames()
    for (let frame = 0; frame <= 100_000; frame++) unanswered.onSent('probe', '0xa')
    expect(unanswered.onConfirmation(['0xa'])).toBe(0)
    unanswered.clear()
    unanswered.onSent('probe', '0xa')
    expect(unanswered.onConfirmation(['0xa'])).toBe(1)
  })

  it('keeps nothing of answered frames, behind one without an answer', () => {
    const unanswered = sent(['subscribe', '0xb'])
    for (let frame = 0; frame < 10_000; frame++) {
      unanswered.onSent('probe', `0x${frame}`)
      expect(unanswered.onConfirmation([`0x${frame}`])).toBe(1)
    }
    expect(unanswered.size).toBe(1)
  })
})
