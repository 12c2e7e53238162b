import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { createManualClient, ManualTransport, type ManualSocket } from '../../support/manual-transport.js'
import { a } from '../../support/time/marbles.js'
import { caseCount } from '../../support/run/long.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

/** A fault of one line that begins at a time and ends after a duration, both in ms. */
interface Fault {
  readonly line: 0 | 1
  readonly kind: 'drop' | 'silent' | 'delay' | 'stopped'
  readonly at: number
  readonly ms: number
}

const maxLag = 400
const endsAt = 6_000

const faultOf = (line: fc.Arbitrary<0 | 1>): fc.Arbitrary<Fault> =>
  fc.record({
    line,
    kind: fc.constantFrom('drop', 'silent', 'delay', 'stopped'),
    at: fc.integer({ min: 300, max: 5_000 }),
    ms: fc.integer({ min: 10, max: 2_000 }),
  })

interface Delivered {
  readonly at: number
  readonly price: number | undefined
  readonly epoch: number
}

/**
 * Runs a client with two lines over a service whose price increases by 1 at each of `changes`, which are the distances in ms. Frames
 * and pongs of a line are delivered in order, after its delay. Returns what the client emits, and when each price was replaced.
 */
const run = (faults: readonly Fault[], changes: readonly number[], delays: readonly [number, number]) => {
  const events: Delivered[] = []
  const replacedAt: number[] = []
  /** What a late subscriber received at once, and `inspect()`, while the last event was a `Left`. */
  const late: { readonly at: number; readonly tags: string; readonly state: string | undefined }[] = []
  runInVirtualTime(
    ({ at, now }) => {
      let price = 0
      const isActive = (line: number, kind: Fault['kind']): boolean =>
        faults.some(
          (fault) =>
            fault.line === line && fault.kind === kind && now() >= fault.at && now() < fault.at + fault.ms,
        )
      const lineOf = ({ url }: ManualSocket): 0 | 1 => (url.includes('first') ? 0 : 1)
      const queues = new Map<ManualSocket, { at: number; readonly frames: (() => void)[] }>()
      /** Delivers in order, and nothing while the line is stopped. */
      const enqueue = (socket: ManualSocket, deliver: () => void): void => {
        const queue = queues.get(socket) ?? { at: 0, frames: [] }
        queues.set(socket, queue)
        const line = lineOf(socket)
        queue.at = Math.max(queue.at, now() + delays[line] + (isActive(line, 'delay') ? 300 : 0))
        queue.frames.push(deliver)
        const flush = (): void => {
          if (isActive(line, 'stopped')) return at(now() + 20, flush)
          const next = queue.frames.shift()
          if (socket.state === 'open') next?.()
        }
        at(queue.at, flush)
      }
      const confirmed = new Set<ManualSocket>()
      const transport = new ManualTransport({
        onDial: (socket) => {
          const open = (): void => {
            if (isActive(lineOf(socket), 'stopped')) return at(now() + 20, open)
            if (isActive(lineOf(socket), 'drop')) socket.drop()
            else if (socket.state === 'connecting') socket.open()
          }
          at(now() + 1, open)
        },
        onSend: (socket) =>
          enqueue(socket, () => {
            confirmed.add(socket)
            socket.deliverConfirmation(a)
            if (price > 0) socket.deliverPrice(a, price)
          }),
        answersPings: (socket) => {
          enqueue(socket, () => socket.listener.pong?.())
          return false
        },
      })
      const { client } = createManualClient(
        {
          ...{ lines: 2, priceWsUrl: ['ws://first', 'ws://second'], maxLag },
          reconnect: { initialDelay: 20, maxDelay: 100, stableAfter: 1_000 },
        },
        transport,
      )
      client.price$(a).subscribe((event) => {
        events.push(
          isRight(event)
            ? { at: now(), price: event.right.price, epoch: event.right.epoch }
            : { at: now(), price: undefined, epoch: 0 },
        )
      })
      const joinLate = (): void => {
        if (events.at(-1)?.price !== undefined || events.length === 0) return
        const tags: string[] = []
        client
          .price$(a)
          .subscribe(({ _tag }) => tags.push(_tag))
          .unsubscribe()
        late.push({ at: now(), tags: tags.join(), state: client.inspect().topics[0]?.state })
      }
      for (let time = 5; time < endsAt; time += 35) at(time, joinLate)
      for (const fault of faults) {
        if (fault.kind !== 'drop') continue
        at(fault.at, () => {
          for (const socket of transport.activeSockets)
            if (lineOf(socket) === fault.line && socket.state === 'open') socket.drop()
        })
      }
      let time = 10
      for (const distance of changes) {
        time += distance
        at(time, () => {
          replacedAt[price] = now()
          price++
          for (const socket of transport.activeSockets) {
            const current = price
            if (confirmed.has(socket) && !isActive(lineOf(socket), 'silent'))
              enqueue(socket, () => socket.deliverPrice(a, current))
          }
        })
      }
      at(endsAt, () => void client.close())
    },
    { endsAt: endsAt + 10_000 },
  )
  return { events, replacedAt, late }
}

const changes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 150, maxLength: 300 })
const delays = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }))

it('two lines never deliver an older price after a newer one, nor one that is older than maxLag', () => {
  const faults = fc.array(faultOf(fc.constantFrom(0, 1)), { maxLength: 6 })
  fc.assert(
    fc.property(faults, changes, delays, (...given) => {
      const { events, replacedAt } = run(...given)
      // The newest price of a silent service may be one that the other service has replaced.
      const hasSilence = given[0].some(({ kind }) => kind === 'silent')
      let last = 0
      let epoch = 0
      for (const event of events) {
        if (event.price === undefined) continue
        expect(event.epoch).toBeGreaterThanOrEqual(epoch)
        if (!hasSilence) {
          expect(event.price).toBeGreaterThanOrEqual(last)
          expect((replacedAt[event.price] ?? Infinity) - event.at).toBeGreaterThanOrEqual(-maxLag)
        }
        last = event.price
        epoch = event.epoch
      }
    }),
    { numRuns: caseCount(1_000) },
  )
})

it('two lines emit no Left while one of them has no fault', () => {
  const faults = fc.array(faultOf(fc.constant(0 as const)), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(faults, changes, delays, (...given) => {
      const { events } = run(...given)
      expect(events.filter(({ price }) => price === undefined)).toEqual([])
      const prices = events.map(({ price }) => price)
      expect(new Set(prices).size).toBe(prices.length)
    }),
    { numRuns: caseCount(1_000) },
  )
})

it('two lines give a late subscriber the last Left, and are not live, until the next price', () => {
  const faults = fc.array(faultOf(fc.constantFrom(0, 1)), { minLength: 2, maxLength: 8 })
  fc.assert(
    fc.property(faults, changes, delays, (...given) => {
      const { late } = run(...given)
      expect(late.filter(({ tags, state }) => tags !== 'Left' || state === 'live')).toEqual([])
    }),
    { numRuns: caseCount(1_000) },
  )
})
