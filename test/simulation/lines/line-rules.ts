import type { ClientSnapshot, Price, PriceError } from 'svc-streams'
import type { SimulatedProcess } from '../world/process.js'
import type { World } from '../world/world.js'
import type { Market } from './line-service.js'
import type { LineScenario } from './line-scenario.js'

/** What a subscriber of a topic has received. */
interface LineRecord {
  readonly base: string
  readonly joinedAt: number
  /** True until `subscribe` has returned. */
  isJoining: boolean
  /** The event of another subscriber of the topic when it joined. */
  readonly lastOfOthers: LastEvent
  /** Its last price; 0 if it has none. */
  lastId: number
  /** True after a `Left`, which its last price may follow. */
  mayRepeat: boolean
  lastEpoch: number
  lastEvent: LastEvent
}

/** The id of a price. */
type LastEvent = number | 'failure' | 'none'

/** Clocks are read in whole ms, and the clock of a turn is late by at most this. */
const roundingMs = 50

/** The most changes of the front in `switchWindow` ms since the last fault began or ended. */
const mostSwitches = 8
const switchWindow = 10_000

/** The time in which a client notices that a connection is lost whose service answers no pings, in ms. */
const silenceMs = 10_000

/** The rules for the prices of a client with several lines: `docs/reference/guarantees.md`, several lines. */
export class LineRules {
  delivered = 0
  private readonly records = new Map<string, LineRecord>()
  private switchTimes: number[] = []

  constructor(
    private readonly scenario: LineScenario,
    private readonly world: World,
    private readonly process: SimulatedProcess,
    private readonly market: Market,
    private readonly report: (problem: string) => void,
  ) {}

  onJoin(key: string, base: string, isWithin: boolean): LineRecord {
    const other = isWithin ? undefined : [...this.records.values()].find((record) => record.base === base)
    const record: LineRecord = {
      ...{ base, joinedAt: this.world.now, isJoining: true, lastOfOthers: other?.lastEvent ?? 'none' },
      ...{ lastId: 0, mayRepeat: false, lastEpoch: 0, lastEvent: 'none' },
    }
    this.records.set(key, record)
    return record
  }

  onLeave(key: string): void {
    this.records.delete(key)
  }

  onFault(): void {
    this.switchTimes = []
  }

  onSwitch(): void {
    const { now } = this.world
    const { rotateAfter, variety } = this.scenario
    // A planned replacement is no change for a reason of the lines, and a new topic may need a further connection of each line.
    if (rotateAfter !== undefined || variety.options.maxTopicsPerConnection !== undefined) return
    this.switchTimes = [...this.switchTimes.filter((at) => at > now - switchWindow), now]
    if (this.switchTimes.length > mostSwitches)
      this.report(`${this.switchTimes.length} changes of the front in ${switchWindow} ms`)
  }

  onPrice(record: LineRecord, { price: id, epoch }: Price): void {
    const { market, scenario, process } = this
    const price = market.byId.get(id)!
    const { lastId, lastEpoch } = record
    this.delivered++
    const { lastOfOthers, isJoining } = record
    if (isJoining && (lastOfOthers === 'failure' || (lastOfOthers !== 'none' && lastOfOthers !== id)))
      this.report(
        `${record.base}: ${id} is the first event, and ${lastOfOthers} the last one of another subscriber`,
      )
    const isBounded = !this.isUnbounded
    // After a slow handler it is not known which subscribers have the price.
    const mayDouble = price.isRepeated || scenario.variety.handler === 'slow'
    if ((id < lastId && isBounded) || (id === lastId && !record.mayRepeat && !mayDouble))
      this.report(`${record.base}: ${id} follows ${lastId}`)
    if (epoch < lastEpoch) this.report(`${record.base}: epoch ${epoch} follows ${lastEpoch}`)
    const oldMs = process.now - price.replacedAt
    if (oldMs > scenario.maxLag + roundingMs && isBounded)
      this.report(`${record.base}: ${id} was replaced ${oldMs} ms before, more than ${scenario.maxLag}`)
    const expected = market.byId.get(lastId)?.next?.id
    if (scenario.kind === 'rotation' && expected !== undefined && id !== expected)
      this.report(`${record.base}: ${id} follows ${lastId}, and ${expected} is missing`)
    record.lastId = id
    record.lastEvent = id
    record.mayRepeat = false
    record.lastEpoch = epoch
  }

  onFailure(record: LineRecord, { message }: PriceError): void {
    const { base } = record
    record.mayRepeat = true
    record.lastEvent = 'failure'
    const { kind } = this.scenario
    if (kind === 'rotation' || kind === 'one')
      this.report(`${base}: "${message}", although another line has its prices`)
  }

  /** True if a service may never have answered a probe. */
  private get isUnbounded(): boolean {
    const { steps, variety } = this.scenario
    if (this.market.services.some((service) => service.isUnproven)) return true
    return variety.isPage && steps.some((step) => 'fault' in step && step.fault === 'confirms nothing')
  }

  /** No subscriber keeps an old price in silence. */
  checkSilence(): void {
    const { process, market, scenario, world } = this
    if (process.isStopped || process.now > world.now) return
    const resumedAt = process.lastStop?.to ?? 0
    for (const { base, lastEvent } of this.records.values()) {
      const replacedAt = typeof lastEvent === 'number' ? market.byId.get(lastEvent)!.replacedAt : Infinity
      const oldMs = world.now - Math.max(replacedAt, resumedAt)
      if (oldMs > 2 * scenario.maxLag + silenceMs)
        this.report(`${base}: ${lastEvent} was replaced ${oldMs} ms before, and nothing followed`)
    }
  }

  /** After a failure, a topic is not live. */
  checkStates({ topics }: ClientSnapshot): void {
    for (const { base, lastEvent } of this.records.values()) {
      const { state } = topics.find(({ topic }) => topic === `svc-${base}`) ?? {}
      if (lastEvent === 'failure' && state === 'live') this.report(`${base} is shown live after a failure`)
    }
  }

  /** Each topic has its newest price, but for what may be on its way. */
  checkRecovery(): void {
    const longest = Math.max(...this.scenario.latencies) + roundingMs
    for (const { base, lastId, joinedAt } of this.records.values()) {
      const { now } = this.world
      const newest = this.market.newest.get(base)
      const last = this.market.byId.get(lastId)
      const isMissing = last === undefined || (last.next !== undefined && last.replacedAt < now - longest)
      if (newest !== undefined && joinedAt < this.scenario.activeMs && isMissing)
        this.report(`${base}: the last price is ${lastId}, the newest one is ${newest.id}`)
    }
  }
}
