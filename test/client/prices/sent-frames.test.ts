import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/base/domain/topic.js'
import { SentFrames } from '../../../src/client/prices/sent-frames.js'
import { TopicTable } from '../../../src/client/prices/topics.js'

const createLedger = (): SentFrames => new SentFrames(new TopicTable(), 300)

/** The number of probes that a confirmation answers. */
const answeredBy = (frames: SentFrames, bases: readonly Address[]): number => {
  const before = frames.probeCount
  frames.onConfirmation(bases)
  return before - frames.probeCount
}

describe('the unanswered frames of a SentFrames', () => {
  /** Frames that the client sends, in order. */
  const sent = (...frames: readonly (readonly [Parameters<SentFrames['onSent']>[0], Address])[]) => {
    const unanswered = createLedger()
    for (const [kind, base] of frames) unanswered.onSent(kind, base, 0)
    return unanswered
  }

  it('takes a confirmation for the answer to the oldest frame that subscribes a topic that it lists', () => {
    const unanswered = sent(['probe', '0xa'], ['probe', '0xb'], ['probe', '0xc'])
    expect(answeredBy(unanswered, ['0xd'])).toBe(0)
    expect(answeredBy(unanswered, ['0xb', '0xc'])).toBe(2)
    expect(unanswered.onErrorText('Invalid token 0xb', 0)).toBeUndefined()
    expect(unanswered.onErrorText('Invalid token 0xc', 0)).toBe('0xc')
  })

  it('shows when the newest answered probe was sent', () => {
    const unanswered = createLedger()
    for (const at of [1, 2, 3]) unanswered.onSent('probe', `0x${at}`, at)
    expect(unanswered.onConfirmation(['0xd'])).toBeUndefined()
    expect(unanswered.onConfirmation(['0x2'])).toBe(2)
    expect(unanswered.onConfirmation(['0x3'])).toBe(3)
  })

  it('never takes the answer to one of many requests of a topic that comes and goes for that to a probe', () => {
    const unanswered = sent(['subscribe', '0xa'])
    for (let round = 0; round < 3; round++) {
      unanswered.onSent('unsubscribe', '0xa', 0)
      unanswered.onSent('subscribe', '0xa', 0)
    }
    unanswered.onSent('probe', '0xa', 0)
    const answers = [['0xa'], [], ['0xa'], [], ['0xa'], [], ['0xa'], ['0xa']] as const
    expect(answers.map((bases) => answeredBy(unanswered, bases))).toEqual([0, 0, 0, 0, 0, 0, 0, 1])
  })

  it('waits for the answer to a subscribe frame although later frames are answered, unless the topic is unsubscribed', () => {
    const unanswered = sent(
      ['subscribe', '0xb'],
      ['subscribe', '0xc'],
      ['unsubscribe', '0xc'],
      ['probe', '0xa'],
    )
    const answers = [[], ['0xa']] as const
    expect(answers.map((bases) => answeredBy(unanswered, bases))).toEqual([0, 1])
    for (let probe = 0; probe < 2; probe++) unanswered.onSent('probe', '0xa', 0)
    const later = [['0xa', '0xb'], ['0xa', '0xc'], ['0xa']] as const
    expect(later.map((bases) => answeredBy(unanswered, bases))).toEqual([0, 1, 1])
    expect(unanswered.size).toBe(0)
  })

  it('takes a confirmation that lists a topic for the first time for the answer to its request, or to a later frame', () => {
    const unanswered = sent(['probe', '0xa'], ['unsubscribe', '0xb'])
    unanswered.onSent('subscribe', '0xc', 0, true)
    expect(answeredBy(unanswered, ['0xa', '0xc'])).toBe(1)
  })

  it('waits for no confirmation of a request that an error text has answered', () => {
    const unanswered = sent(['probe', '0xa'])
    unanswered.onConfirmation(['0xa'])
    for (let rejection = 0; rejection < 3; rejection++) {
      unanswered.onSent('subscribe', '0xb', 0)
      unanswered.onErrorText('Invalid token 0xb', rejection)
    }
    unanswered.onSent('subscribe', '0xb', 0)
    unanswered.onSent('probe', '0xa', 0)
    const answers = [
      ['0xa', '0xb'],
      ['0xa', '0xb'],
    ] as const
    expect(answers.map((bases) => answeredBy(unanswered, bases))).toEqual([0, 1])
  })

  it('waits for no answers to unsubscribe frames once it has become known that the service sends none', () => {
    const unanswered = sent(['unsubscribe', '0xb'])
    unanswered.onSent('subscribe', '0xc', 0, true)
    unanswered.onConfirmation(['0xc'])
    unanswered.onSent('unsubscribe', '0xd', 0)
    unanswered.onSent('probe', '0xa', 0)
    expect(answeredBy(unanswered, ['0xa'])).toBe(1)
    // It does after all.
    unanswered.onSent('unsubscribe', '0xe', 0)
    unanswered.onConfirmation(['0xa'])
    unanswered.onSent('unsubscribe', '0xe', 0)
    unanswered.onSent('probe', '0xa', 0)
    expect([['0xa'], ['0xa']].map((bases) => answeredBy(unanswered, bases as Address[]))).toEqual([0, 1])
  })

  it('counts a probe as answered exactly when a service that answers every frame has answered it', () => {
    const frame = fc.record({
      kind: fc.constantFrom('unsubscribe', 'probe', 'answer'),
      base: fc.constantFrom<Address>('0xb', '0xc'),
    })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 60 }), (frames) => {
        const unanswered = createLedger()
        const kinds: string[] = []
        for (const { kind, base } of frames) {
          if (kind === 'answer') {
            if (kinds.shift() !== undefined) unanswered.onConfirmation(['0xa'])
          } else {
            unanswered.onSent(kind, kind === 'probe' ? '0xa' : base, 0)
            kinds.push(kind)
          }
          expect(unanswered.probeCount).toBe(kinds.filter((each) => each === 'probe').length)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('takes no confirmation for the answer to a probe after more than 100,000 frames without an answer', () => {
    const unanswered = createLedger()
    for (let frame = 0; frame <= 100_000; frame++) unanswered.onSent('probe', '0xa', 0)
    expect(unanswered.size).toBe(100_000)
    unanswered.onSent('probe', '0xa', 0)
    expect(answeredBy(unanswered, ['0xa'])).toBe(0)
  })

  it('keeps nothing of answered frames, behind one without an answer', () => {
    const unanswered = sent(['subscribe', '0xb'])
    for (let frame = 0; frame < 10_000; frame++) {
      unanswered.onSent('probe', `0x${frame}`, 0)
      expect(answeredBy(unanswered, [`0x${frame}`])).toBe(1)
    }
    expect(unanswered.size).toBe(1)
  })
})

const grace = 100

/** A sentFrames of topics that the client has left. */
const leftTopics = (...calls: readonly Parameters<SentFrames['onUnsubscribe']>[]): SentFrames => {
  const sentFrames = new SentFrames(new TopicTable(), grace)
  for (const call of calls) sentFrames.onUnsubscribe(...call)
  return sentFrames
}

describe('a frame for a topic that the client has left', () => {
  it('may be late until the grace period ends', () => {
    const sentFrames = leftTopics(['0xaa', 50])
    expect([50, 149, 150].map((now) => sentFrames.mayBeLate('0xaa', now))).toEqual([true, true, false])
  })

  it('is an error for a topic that was not unsubscribed', () => {
    expect(leftTopics(['0xaa', 0]).mayBeLate('0xbb', 0)).toBe(false)
  })

  it('may be late for another grace period when the topic is unsubscribed again', () => {
    const sentFrames = leftTopics(['0xaa', 0], ['0xbb', 10], ['0xaa', 90])
    expect(sentFrames.mayBeLate('0xaa', 150)).toBe(true)
    expect(sentFrames.mayBeLate('0xbb', 109)).toBe(true)
    expect(sentFrames.mayBeLate('0xbb', 110)).toBe(false)
  })

  it('causes an unsubscribe frame for the newest 10,000 left topics, and for all of the grace period', () => {
    const sentFrames = leftTopics()
    const bases = Array.from({ length: 20_000 }, (_, index): Address => `0x${index.toString(16)}`)
    for (const base of bases) sentFrames.onUnsubscribe(base, 0)
    for (const base of bases) sentFrames.onUnrequestedPrice({ base, topic: `svc-${base}` }, 50)
    expect(sentFrames.unrequestedCount).toBe(0)
    sentFrames.onUnsubscribe('0xfffff', 2 * grace)
    for (const base of bases) sentFrames.onUnrequestedPrice({ base, topic: `svc-${base}` }, 3 * grace)
    expect(sentFrames.unrequestedCount).toBe(9_999)
  })
})

it('stores 10,000 unrequested topics, and more once their frames are taken', () => {
  const sentFrames = new SentFrames(new TopicTable(), 300)
  const list = (count: number): void => {
    for (let index = 0; index < count; index++) {
      const base: Address = `0x${index.toString(16)}`
      sentFrames.onListed({ base, topic: `svc-${base}` }, 0)
    }
  }
  list(30_000)
  expect(sentFrames.unrequestedCount).toBe(10_000)
  expect(sentFrames.takeUnsubscribes(Infinity, 0)).toHaveLength(10_000)
  expect(sentFrames.unrequestedCount).toBe(0)
  list(30_000)
  expect(sentFrames.unrequestedCount).toBe(10_000)
})
