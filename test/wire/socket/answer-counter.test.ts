import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerCounter } from '../../../src/wire/socket/liveness.js'

/** More than an `AnswerCounter` stores. */
const many = 600

const sendMany = (counter: AnswerCounter): readonly string[] =>
  Array.from({ length: many }, (_, at) => counter.onProbe(at))

describe('AnswerCounter', () => {
  it('takes no answer to a probe that is no longer stored for that to a later one', () => {
    const counter = new AnswerCounter()
    sendMany(counter)
    const times = Array.from({ length: many }, () => counter.takeAnswered())
    const stored = times.filter((time) => time !== undefined)
    expect(stored).toHaveLength(512)
    times.forEach((time, answered) => expect([answered, undefined]).toContain(time))
    expect(times.at(-1)).toBe(many - 1)
  })

  it('recognises a later answer by its payload', () => {
    const counter = new AnswerCounter()
    const payloads = sendMany(counter)
    expect(counter.takeAnswered(payloads[0])).toBeUndefined()
    expect(counter.takeAnswered(payloads[590])).toBe(590)
    expect(counter.takeAnswered()).toBe(591)
  })

  it('never takes a probe for answered before it is, in whatever order a service answers', () => {
    const act = fc.constantFrom('probe', '400 probes', 'answer', 'answer all')
    fc.assert(
      fc.property(fc.array(act, { maxLength: 50, size: 'max' }), fc.boolean(), (acts, hasPayloads) => {
        const counter = new AnswerCounter()
        const sent: { readonly at: number; readonly payload: string }[] = []
        let answered = -1
        const answer = (): void => {
          const probe = sent[++answered]
          const time = counter.takeAnswered(hasPayloads ? probe?.payload : undefined)
          if (time !== undefined) expect(time).toBeLessThanOrEqual(probe?.at ?? -1)
        }
        for (const each of acts) {
          const probes = { probe: 1, '400 probes': 400 }[each as string] ?? 0
          for (let count = 0; count < probes; count++)
            sent.push({ at: sent.length, payload: counter.onProbe(sent.length) })
          if (each === 'answer' && answered < sent.length - 1) answer()
          while (each === 'answer all' && answered < sent.length - 1) answer()
        }
      }),
    )
  })
})
