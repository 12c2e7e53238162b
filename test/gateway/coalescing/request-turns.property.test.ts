import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RequestSharer } from '../../../src/gateway/coalescing/request-sharer.js'
import type { Cancel } from '../../../src/base/task/cancellable-task.js'
import { currentClock } from '../../../src/base/time/clock.js'

const maxWaiting = 8
const groups = ['a', 'b', 'c']

interface Request {
  readonly group: string
  readonly consumer: number
  state: 'waiting' | 'running' | 'over'
  /** Answers a request that is running. */
  answer: () => void
  leave: Cancel
}

type Step =
  | { readonly kind: 'ask'; readonly group: string; readonly consumer: number }
  | { readonly kind: 'leave' | 'answer'; readonly index: number }
  | { readonly kind: 'limit'; readonly capacity: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      group: fc.constantFrom(...groups),
      consumer: fc.nat(2),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('leave' as const, 'answer' as const),
      index: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit' as const), capacity: fc.nat(10) }) },
)

/** Counts the starts of others while one waits for its turn. */
class Turns {
  private readonly others = new Map<string, Map<string, number>>()

  onStart(name: string, ready: ReadonlySet<string>): void {
    for (const each of this.others.keys()) if (!ready.has(each)) this.others.delete(each)
    this.others.delete(name)
    for (const each of ready) {
      if (each === name) continue
      const counts = this.others.get(each) ?? new Map<string, number>()
      this.others.set(each, counts.set(name, (counts.get(name) ?? 0) + 1))
      expect(counts.get(name), `${each} waits for ${name}`).toBe(1)
    }
  }

  forget(ready: ReadonlySet<string>): void {
    for (const each of this.others.keys()) if (!ready.has(each)) this.others.delete(each)
  }
}

it('starts requests in turns of groups and consumers, within its limits, for any sequence of events', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      let capacity = 0
      const requests: Request[] = []
      const inState = (...states: readonly Request['state'][]): readonly Request[] =>
        requests.filter(({ state }) => states.includes(state))
      const canStart = () => inState('running').length < capacity
      let waiting: (() => void) | undefined
      const whenSendable = (onTurn: () => void) => {
        expect(waiting).toBeUndefined()
        if (canStart()) onTurn()
        else waiting = onTurn
        return () => (waiting = undefined)
      }
      /** The client gives the turns that it allows now. */
      const giveTurns = (): void => {
        const onTurn = waiting
        if (onTurn === undefined || !canStart()) return
        waiting = undefined
        onTurn()
        giveTurns()
      }
      const groupTurns = new Turns()
      const consumerTurns = new Map(groups.map((name) => [name, new Turns()]))
      const waitingGroups = () => new Set(inState('waiting').map(({ group }) => group))
      const waitingConsumers = (name: string) =>
        new Set(
          inState('waiting')
            .filter(({ group }) => group === name)
            .map(({ consumer }) => String(consumer)),
        )
      const clock = currentClock()
      const sharer = new RequestSharer<'answer' | 'refusal'>({
        ...{ clock, maxWaiting, whenSendable, refusal: 'refusal' },
      })
      let refused: Request[] = []
      const ask = (group: string, consumer: number): void => {
        const request: Request = {
          ...{ group, consumer, state: 'waiting' },
          ...{ answer: () => undefined, leave: () => undefined },
        }
        const key = String(requests.push(request))
        const send = (onResult: (result: 'answer') => void): void => {
          expect([request.state, canStart()]).toEqual(['waiting', true])
          groupTurns.onStart(group, waitingGroups())
          consumerTurns.get(group)?.onStart(String(consumer), waitingConsumers(group))
          request.state = 'running'
          request.answer = () => onResult('answer')
        }
        request.leave = sharer.request(
          { key, minInterval: 0, send },
          { group, consumer },
        )((result) => {
          if (result === 'refusal') refused.push(request)
          else request.state = 'over'
        })
      }
      const sizeOf = (group: string, consumer?: number): number =>
        inState('waiting', 'running').filter(
          (each) => each.group === group && (consumer ?? each.consumer) === each.consumer,
        ).length

      for (const each of steps) {
        if (each.kind === 'ask') {
          const isFull = inState('waiting', 'running').length === maxWaiting
          ask(each.group, each.consumer)
          expect(refused).toHaveLength(isFull ? 1 : 0)
          for (const other of refused) {
            // The refused one has the largest group, and is the largest consumer of it.
            for (const name of groups) expect(sizeOf(name)).toBeLessThanOrEqual(sizeOf(other.group))
            for (const id of [0, 1, 2])
              expect(sizeOf(other.group, id)).toBeLessThanOrEqual(sizeOf(other.group, other.consumer))
            // No consumer waits for it any longer. The client still sends it, if it is running.
            other.answer()
            other.state = 'over'
          }
          refused = []
        } else if (each.kind === 'limit') capacity = each.capacity
        else {
          const request = requests[each.index % Math.max(1, requests.length)]
          if (each.kind === 'leave' && request?.state === 'waiting') {
            request.leave()
            request.state = 'over'
          }
          if (each.kind === 'answer' && request?.state === 'running') {
            request.state = 'over'
            request.answer()
          }
        }
        groupTurns.forget(waitingGroups())
        for (const name of groups) consumerTurns.get(name)?.forget(waitingConsumers(name))
        giveTurns()
        expect(inState('waiting', 'running').length).toBeLessThanOrEqual(maxWaiting)
        // A request that cannot be sent yet is chosen in the turn that the client gives, so that it may still leave.
        if (canStart()) expect(inState('waiting')).toEqual([])
        else if (inState('waiting').length > 0) expect(waiting).toBeDefined()
      }
    }),
  )
})
