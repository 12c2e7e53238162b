import type { Price, PriceError } from 'svc-streams'
import type { SimulatedProcess } from '../world/process.js'
import type { World } from '../world/world.js'
import type { Market } from './line-service.js'
import type { LineScenario } from './line-scenario.js'

/** What a subscriber of a topic has received. */
interface LineRecord {
  readonly base: string
  readonly joinedAt: number
  /** Its last price; 0 if it has none. */
  lastId: number
  /** True after a `Left`, which its last price may follow. */
  mayRepeat: boolean
  lastEpoch: number
}

/** Clocks are read in whole ms, and the clock of a turn is late by at most this. */
const roundingMs = 50

/** The most changes of the front in `switchWindow` ms since the last fault began or ended. */
const mostSwitches = 8
const switchWindow = 10_000

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

  onJoin(base: string): LineRecord {
    const record = { base, joinedAt: this.world.now, lastId: 0, mayRepeat: false, lastEpoch: 0 }
    this.records.set(base, record)
    return record
  }

  onLeave(base: string): void {
    this.records.delete(base)
  }

  onFault(): void {
    this.switchTimes = []
  }

  onSwitch(): void {
    const { now } = this.world
    // A planned replacement is no change for a reason of the lines.
    if (this.scenario.rotateAfter !== undefined) return
    this.switchTimes = [...this.switchTimes.filter((at) => at > now - switchWindow), now]
    if (this.switchTimes.length > mostSwitches)
      this.report(`${this.switchTimes.length} changes of the front in ${switchWindow} ms`)
  }

  onPrice(record: LineRecord, { price: id, epoch }: Price): void {
    const { market, scenario, process } = this
    const price = market.byId.get(id)!
    const { lastId, lastEpoch } = record
    this.delivered++
    if (id < lastId || (id === lastId && !record.mayRepeat))
      this.report(`${record.base}: ${id} follows ${lastId}`)
    if (epoch < lastEpoch) this.report(`${record.base}: epoch ${epoch} follows ${lastEpoch}`)
    const oldMs = process.now - price.replacedAt
    if (oldMs > scenario.maxLag + roundingMs)
      this.report(`${record.base}: ${id} was replaced ${oldMs} ms before, more than ${scenario.maxLag}`)
    const expected = market.byId.get(lastId)?.next?.id
    if (scenario.kind === 'rotation' && expected !== undefined && id !== expected)
      this.report(`${record.base}: ${id} follows ${lastId}, and ${expected} is missing`)
    record.lastId = id
    record.mayRepeat = false
    record.lastEpoch = epoch
  }

  onFailure(record: LineRecord, { message }: PriceError): void {
    const { base } = record
    record.mayRepeat = true
    if (this.scenario.kind !== 'any')
      this.report(`${base}: "${message}", although another line has its prices`)
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
