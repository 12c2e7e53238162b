import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RequestQueue, type Place } from '../../../src/gateway/coalescing/request-queue.js'

const maxWaiting = 8
const groups = ['a', 'b', 'c']

interface Request {
  readonly group: string
  readonly consumer: number
  readonly place: Place
  state: 'parked' | 'ready' | 'running' | 'left'
}

type Step =
  | { readonly kind: 'enter'; readonly group: string; readonly consumer: number; readonly isReady: boolean }
  | { readonly kind: 'ready' | 'park' | 'leave' | 'end'; readonly index: number }
  | { readonly kind: 'limit'; readonly capacity: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('enter' as const),
      group: fc.constantFrom(...groups),
      consumer: fc.nat(2),
      isReady: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('ready' as const, 'park' as const, 'leave' as const, 'end' as const),
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
      const refused: Request[] = []
      const inState = (...states: readonly Request['state'][]): readonly Request[] =>
        requests.filter(({ state }) => states.includes(state))
      const running = () => inState('running').length
      const canStart = () => running() < capacity
      let waiting: (() => void) | undefined
      const whenSendable = (onTurn: () => void) => {
        expect(waiting).toBeUndefined()
        if (canStart()) onTurn()
        else waiting = onTurn
        return () => (waiting = undefined)
      }
      /** The client gives the turn that it allows now. */
      const giveTurn = (): void => {
        const onTurn = waiting
        if (onTurn === undefined || !canStart()) return
        waiting = undefined
        onTurn()
        giveTurn()
      }
      const groupTurns = new Turns()
      const consumerTurns = new Map(groups.map((name) => [name, new Turns()]))
      const readyGroups = () => new Set(inState('ready').map(({ group }) => group))
      const readyConsumers = (name: string) =>
        new Set(
          inState('ready')
            .filter(({ group }) => group === name)
            .map(({ consumer }) => String(consumer)),
        )
      const queue = new RequestQueue({ maxWaiting, whenSendable })
      const makeReady = (request: Request): void => {
        request.state = 'ready'
        queue.ready(request.place, () => {
          expect([request.state, canStart()]).toEqual(['ready', true])
          groupTurns.onStart(request.group, readyGroups())
          consumerTurns.get(request.group)?.onStart(String(request.consumer), readyConsumers(request.group))
          request.state = 'running'
        })
      }
      const sizeOf = (group: string, consumer?: number): number =>
        inState('parked', 'ready', 'running').filter(
          (each) => each.group === group && (consumer ?? each.consumer) === each.consumer,
        ).length

      for (const each of steps) {
        if (each.kind === 'enter') {
          const { group, consumer } = each
          const isFull = queue.size === maxWaiting
          const place = queue.enter({ group, consumer }, () => refused.push(request))
          const request: Request = { group, consumer, place, state: 'parked' }
          requests.push(request)
          if (each.isReady) makeReady(request)
          queue.refuseExcess(place)
          const others = refused.splice(0)
          expect(others).toHaveLength(isFull ? 1 : 0)
          for (const other of others) {
            // The refused one has the largest group, and is the largest consumer of it.
            for (const name of groups) expect(sizeOf(name)).toBeLessThanOrEqual(sizeOf(other.group))
            for (const id of [0, 1, 2])
              expect(sizeOf(other.group, id)).toBeLessThanOrEqual(sizeOf(other.group, other.consumer))
            const wasRunning = other.state === 'running'
            other.state = 'left'
            if (wasRunning) queue.onEnd()
          }
        } else if (each.kind === 'limit') capacity = each.capacity
        else {
          const request = requests[each.index % Math.max(1, requests.length)]
          if (request === undefined || request.state === 'left') continue
          if (each.kind === 'ready' && request.state === 'parked') makeReady(request)
          if (each.kind === 'park' && request.state === 'ready') {
            queue.park(request.place)
            request.state = 'parked'
          }
          if (each.kind === 'leave' && request.state !== 'running') {
            queue.leave(request.place)
            request.state = 'left'
          }
          if (each.kind === 'end' && request.state === 'running') {
            queue.leave(request.place)
            request.state = 'left'
            queue.onEnd()
          }
        }
        groupTurns.forget(readyGroups())
        for (const name of groups) consumerTurns.get(name)?.forget(readyConsumers(name))
        giveTurn()
        queue.startNext()
        expect(queue.size).toBe(inState('parked', 'ready', 'running').length)
        expect(queue.size).toBeLessThanOrEqual(maxWaiting)
        if (canStart()) expect(inState('ready')).toEqual([])
        // A request that cannot be sent yet is chosen in the turn that the client gives, so that it may still leave.
        expect(waiting !== undefined).toBe(inState('ready').length > 0)
      }
    }),
  )
})
