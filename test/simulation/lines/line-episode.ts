import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { createClient, type PriceClient } from 'svc-streams'
import type { WebSocketTransport } from '../../../src/wire/transport/ports.js'
import { Link } from '../world/network.js'
import { onSimulatedPlatform } from '../world/platform.js'
import { SimulatedProcess } from '../world/process.js'
import { SimulatedTransport, type PortObserver } from '../world/web-socket-transport.js'
import { formatTime, World } from '../world/world.js'
import { LineService, Market } from './line-service.js'
import { LineRules } from './line-rules.js'
import {
  behaviours,
  lineScenarioOf,
  recoveryMs,
  type LineKind,
  type LineFault,
  type LineScenario,
  type LineStep,
} from './line-scenario.js'

export interface LineEpisode {
  /** The first rule that is violated, with its time; empty if none is. */
  readonly violation: string
  readonly delivered: number
  readonly trace: readonly string[]
}

/** Runs a scenario until its first violation, or to its end. The same scenario has the same trace. */
export const runLines = async (scenario: LineScenario, hasTrace = false): Promise<LineEpisode> => {
  const trace: string[] = []
  const world = new World(`lines ${scenario.seed}`, hasTrace ? trace : undefined)
  const result = await onSimulatedPlatform(
    () => world.draw(),
    () => new LineSimulation(world, scenario).run(),
  )
  return { ...result, trace }
}

/** The first violation of the scenarios of `count` seeds, and the number of delivered prices. */
export const searchLines = async (kind: LineKind, firstSeed: number, count: number) => {
  let delivered = 0
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const episode = await runLines(lineScenarioOf(seed, kind))
    delivered += episode.delivered
    if (episode.violation !== '') return { violation: `seed ${seed}, ${episode.violation}`, delivered }
    // A scenario waits for promises alone: here the event loop turns.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { violation: '', delivered }
}

class LineSimulation {
  private violation = ''
  private readonly process: SimulatedProcess
  private readonly services: readonly LineService[]
  private readonly links: readonly Link[]
  private readonly market: Market
  private readonly rules: LineRules
  private readonly transports: readonly SimulatedTransport[]
  private readonly client: PriceClient
  /** By the topic and the subscriber. */
  private readonly subscriptions = new Map<string, Subscription>()
  private switches = 0

  constructor(
    private readonly world: World,
    private readonly scenario: LineScenario,
  ) {
    const { hosts, latencies, intervals, lines, rotateAfter, maxLag, variety } = scenario
    this.process = new SimulatedProcess('client', world, 0, (thrown) => {
      if (!String(thrown).includes(thrownByHandler)) this.report(`an exception: ${String(thrown)}`)
    })
    const meanTimes = new Map(intervals.map((interval, topic) => [baseOf(topic), interval]))
    this.market = new Market(world, meanTimes, variety.repeats)
    this.services = Array.from(
      { length: hosts },
      (_, host) => new LineService(`service ${host}`, world, variety.behaviours[host]),
    )
    this.market.services.push(...this.services)
    this.links = latencies.map((latency) => Object.assign(new Link(world), { latency }))
    this.rules = new LineRules(scenario, world, this.process, this.market, (problem) => this.report(problem))
    const observer = traceOf(world, !variety.isPage)
    this.transports = this.services.map(
      ({ host, onUpgrade }, index) =>
        new SimulatedTransport(this.process, this.links[index]!, host, onUpgrade, observer),
    )
    const urls = this.services.map((_, host) => `ws://host-${host}`)
    this.client = this.process.enter(() => {
      const client = createClient({
        ...{ environment: 'mainnet', priceBaseUrl: 'http://localhost:3000', priceWsUrl: urls },
        ...{ lines, maxLag, linger: variety.linger, connectTimeout: 2_000, confirmTimeout: 2_000 },
        ...{ pingInterval: 5_000, pongTimeout: 2_000, reconnect: { initialDelay: 250, maxDelay: 2_000 } },
        ...(rotateAfter === undefined ? {} : { rotateAfter }),
        ...variety.options,
        webSocket: byHost(this.transports),
      })
      client.status$.subscribe((status) => {
        world.trace('client', () => `status ${JSON.stringify(status)}`)
        if (status._tag !== 'Open' || (status.switches ?? 0) === this.switches) return
        this.switches = status.switches ?? 0
        this.rules.onSwitch()
      })
      return client
    })
  }

  async run(): Promise<Omit<LineEpisode, 'trace'>> {
    const { world, scenario, rules, subscriptions } = this
    for (const step of scenario.steps) world.at(step.at, () => this.perform(step))
    if (scenario.kind === 'varied') this.checkEachSecond()
    await world.runUntil(scenario.activeMs + recoveryMs)
    rules.checkRecovery()
    if (scenario.kind === 'varied') this.checkTopics()
    for (const key of [...subscriptions.keys()]) this.leave(key)
    await world.runUntil(world.now + scenario.variety.linger + 10_000)
    if (this.sockets > 0) this.report(`${this.sockets} sockets are left without topics`)
    this.process.run(() => void this.client.close())
    await world.runUntil(world.now + 5_000)
    const { pendingTimers } = this.process
    if (pendingTimers + this.sockets > 0)
      this.report(`after close(), there are ${pendingTimers} timers, ${this.sockets} sockets`)
    return { violation: this.violation, delivered: rules.delivered }
  }

  private get isOver(): boolean {
    return this.world.now >= this.scenario.activeMs + recoveryMs
  }

  private get sockets(): number {
    return this.transports.reduce((sum, { size }) => sum + size, 0)
  }

  private perform(step: LineStep): void {
    const { world } = this
    world.trace('step', () => JSON.stringify(step))
    if ('topic' in step) {
      const { topic, subscriber = 0, isSubscribed } = step
      return isSubscribed ? this.join(topic, subscriber) : this.leave(keyOf(topic, subscriber))
    }
    this.rules.onFault()
    const end = this.fail(step.host, step.fault)
    world.at(world.now + step.ms, () => {
      end()
      this.rules.onFault()
    })
  }

  private fail(host: number, fault: LineFault): () => void {
    const service = this.services[host]!
    const link = this.links[host]!
    const { process } = service.host
    const unlessRestarted = (end: () => void) => (): void => {
      if (service.host.process === process) end()
    }
    if (isBehaviour(fault)) {
      service.behave(behaviours[fault])
      return () => service.behaveAgain(Object.keys(behaviours[fault]))
    }
    switch (fault) {
      case 'block up':
      case 'block down':
      case 'block both': {
        const directions = (['up', 'down'] as const).filter((each) => fault !== `block ${other[each]}`)
        for (const direction of directions) link.block(direction)
        return () => directions.forEach((direction) => link.unblock(direction))
      }
      case 'cut':
        link.cut()
        return () => link.restore()
      case 'slow link':
        link.setSpeed(0.02)
        return () => link.setSpeed(Infinity)
      case 'latency': {
        link.latency = this.world.between(300, 3_000)
        return () => (link.latency = this.scenario.latencies[host]!)
      }
      case 'stop':
        service.stop()
        return unlessRestarted(() => service.continue())
      case 'kill':
        service.kill()
        return unlessRestarted(() => service.start())
      case 'switch off':
        service.switchOff()
        return unlessRestarted(() => service.start())
      case 'close':
        service.closeAll(1012)
        return () => undefined
      case 'drain':
        service.drain()
        return unlessRestarted(() => {
          service.isDraining = false
          service.closeAll(1001)
        })
      case 'pause':
        this.process.stop()
        return () => this.process.continue()
      case 'busy':
        this.process.run(() => this.process.block(this.world.between(1, 300)))
        return () => undefined
    }
  }

  private join(topic: number, subscriber: number): void {
    this.process.run(() => this.joinNow(topic, subscriber))
  }

  /** `isWithin`: called while a price of the topic is delivered, which the subscribers after this one do not have. */
  private joinNow(topic: number, subscriber: number, isWithin = false): void {
    const key = keyOf(topic, subscriber)
    if (this.subscriptions.has(key)) return
    const base = baseOf(topic)
    const record = this.rules.onJoin(key, base, isWithin)
    const subscription = new Subscription()
    this.subscriptions.set(key, subscription)
    const events = this.client.price$(`svc-${base}`)
    subscription.add(
      events.subscribe({
        next: (event) => {
          const value = isLeft(event) ? event.left.message : `price ${event.right.price}`
          this.world.trace('client', () => `${key} ${value}`)
          if (isLeft(event)) this.rules.onFailure(record, event.left)
          else this.rules.onPrice(record, event.right)
          if (!isLeft(event) && !record.isJoining) this.handle(topic, subscriber, event.right.price)
        },
        complete: () => this.onCompleted(topic, subscriber),
      }),
    )
    record.isJoining = false
  }

  /** Within `next`. */
  private handle(topic: number, subscriber: number, price: number): void {
    const { handler } = this.scenario.variety
    if (handler === 'steady' || price % 7 !== 0 || this.world.now > this.scenario.activeMs) return
    if (handler === 'slow') return this.process.block(this.world.between(1, 30))
    if (handler === 'throws') throw new Error(thrownByHandler)
    this.leaveNow(keyOf(topic, subscriber))
    if (handler === 'joins again') this.joinNow(topic, subscriber, true)
  }

  /** A rejected topic is requested again. */
  private onCompleted(topic: number, subscriber: number): void {
    const key = keyOf(topic, subscriber)
    if (!this.subscriptions.has(key)) return
    this.leaveNow(key)
    this.world.at(this.world.now + 1_000, () => {
      if (!this.isOver) this.join(topic, subscriber)
    })
  }

  private leave(key: string): void {
    this.process.run(() => this.leaveNow(key))
  }

  private leaveNow(key: string): void {
    this.subscriptions.get(key)?.unsubscribe()
    this.subscriptions.delete(key)
    this.rules.onLeave(key)
  }

  private checkEachSecond(): void {
    this.world.at(this.world.now + 1_000, () => {
      if (this.isOver) return
      this.rules.checkSilence()
      this.process.run(() => this.rules.checkStates(this.client.inspect()))
      this.checkEachSecond()
    })
  }

  /** Each line has each topic that is wanted, and no other one. */
  private checkTopics(): void {
    const { scenario, services, subscriptions, client, process } = this
    const { lines, intervals, rotateAfter } = scenario
    const wanted = new Set([...subscriptions.keys()].map((key) => key.split(' ')[0]))
    const shown = process.enter(() => client.inspect().lines)
    intervals.forEach((_, topic) => {
      const base = baseOf(topic)
      const count = services.reduce((sum, service) => sum + service.carries(base), 0)
      const least = wanted.has(base) ? lines : 0
      const isRight = rotateAfter === undefined || least === 0 ? count === least : count >= least
      if (!isRight)
        this.report(`${base} is on ${count} connections, not on ${least}: ${JSON.stringify(shown)}`)
    })
    if (wanted.size > 0 && shown.filter(({ state }) => state === 'open').length < lines)
      this.report(`not all lines are open: ${JSON.stringify(shown)}`)
  }

  private report(problem: string): void {
    if (this.violation !== '') return
    this.violation = `${formatTime(this.world.now)}: ${problem}`
    this.world.trace('client', () => `VIOLATION ${problem}`)
    this.world.stop()
  }
}

const isBehaviour = (fault: LineFault): fault is keyof typeof behaviours => fault in behaviours

const thrownByHandler = 'thrown by a handler'

const keyOf = (topic: number, subscriber: number): string => `${baseOf(topic)} ${subscriber}`

const baseOf = (topic: number): `0x${string}` => `0xabc${topic}`

const other = { up: 'down', down: 'up' } as const

/** Dials the host that the URL names. */
const byHost = (transports: readonly SimulatedTransport[]): WebSocketTransport => ({
  dial: (url, options, listener) => transports[Number(/\d+/.exec(url)?.[0])]!.dial(url, options, listener),
  close: () => Promise.all(transports.map((transport) => transport.close())).then(() => undefined),
})

const traceOf = (world: World, hasPings: boolean): PortObserver => {
  const trace = (text: string): void => world.trace('port', () => text)
  return {
    hasPings,
    onDial: ({ id }) => trace(`dials socket ${id}`),
    onOpened: ({ id }) => trace(`socket ${id} is open`),
    onSent: ({ id }, frame) => trace(`socket ${id} > ${frame}`),
    onPing: () => undefined,
    onReceived: ({ id }, frame) => trace(`socket ${id} < ${frame}`),
    onAlive: () => undefined,
    onPong: () => undefined,
    onClosed: ({ id }, how) => trace(`socket ${id} is closed: ${how}`),
  }
}
