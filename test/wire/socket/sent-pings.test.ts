import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SentPings } from '../../../src/wire/socket/guarded-socket.js'

/** More than `SentPings` stores. */
const many = 600

const sendMany = (pings: SentPings): readonly string[] =>
  Array.from({ length: many }, (_, at) => pings.onPing(at))

describe('SentPings', () => {
  it('takes no pong of a ping that is no longer stored for that of a later one', () => {
    const pings = new SentPings()
    sendMany(pings)
    const times = Array.from({ length: many }, () => pings.onPong())
    const stored = times.filter((time) => time !== undefined)
    expect(stored).toHaveLength(512)
    times.forEach((time, answered) => expect([answered, undefined]).toContain(time))
    expect(times.at(-1)).toBe(many - 1)
  })

  it('recognises a later pong by its payload', () => {
    const pings = new SentPings()
    const payloads = sendMany(pings)
    expect(pings.onPong(payloads[0])).toBeUndefined()
    expect(pings.onPong(payloads[590])).toBe(590)
    expect(pings.onPong()).toBe(591)
  })

  it('never takes a ping for answered before it is, in whatever order a service answers', () => {
    const act = fc.constantFrom('ping', '400 pings', 'answer', 'answer all')
    fc.assert(
      fc.property(fc.array(act, { maxLength: 50, size: 'max' }), fc.boolean(), (acts, hasPayloads) => {
        const pings = new SentPings()
        const sent: { readonly at: number; readonly payload: string }[] = []
        let answered = -1
        const answer = (): void => {
          const ping = sent[++answered]
          const time = pings.onPong(hasPayloads ? ping?.payload : undefined)
          if (time !== undefined) expect(time).toBeLessThanOrEqual(ping?.at ?? -1)
        }
        for (const each of acts) {
          const count = { ping: 1, '400 pings': 400 }[each as string] ?? 0
          for (let each = 0; each < count; each++)
            sent.push({ at: sent.length, payload: pings.onPing(sent.length) })
          if (each === 'answer' && answered < sent.length - 1) answer()
          while (each === 'answer all' && answered < sent.length - 1) answer()
        }
      }),
    )
  })
})
