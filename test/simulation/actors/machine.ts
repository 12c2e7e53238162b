import type { Ledger } from '../invariants/ledger.js'
import type { Host } from '../world/network.js'
import type { SimulatedProcess } from '../world/process.js'
import { formatTime, type World } from '../world/world.js'

/** What runs on a machine with a gateway. */
export interface GatewayProgram {
  readonly name: string
  readonly process: SimulatedProcess
  readonly ledger: Ledger
  readonly isIdle: boolean
  /** `onClosed`: called when the gateway and its client are closed. */
  close(onClosed: () => void): void
  /** What a closed gateway still has. */
  remains(): string
  check(): void
}

/** The process of a closed gateway ends by then: `runGateway` destroys the connections that are left after 1 s. In ms. */
const closeMs = 2_000

/** A machine with a gateway, which can be stopped, killed, switched off, terminated and started again. */
export abstract class GatewayMachine<Program extends GatewayProgram> {
  readonly host: Host = { process: undefined, isOn: true }
  protected current: Program
  /** The process of the gateway that is closing, and since when, in ms in which it was running. */
  private closing: { readonly process: SimulatedProcess; readonly at: number } | undefined

  constructor(
    private readonly index: number,
    private readonly world: World,
    private readonly createProgram: (name: string) => Program,
    private readonly report: (who: string, problem: string) => void,
  ) {
    this.current = this.start()
  }

  get name(): string {
    return this.current.name
  }

  get ledger(): Ledger {
    return this.current.ledger
  }

  get isIdle(): boolean {
    return this.current.isIdle
  }

  start(): Program {
    const { index, world } = this
    const name = world.now === 0 ? `gateway ${index}` : `gateway ${index} of ${formatTime(world.now)}`
    this.current = this.createProgram(name)
    this.host.process = this.current.process
    this.host.isOn = true
    return this.current
  }

  /** SIGSTOP. */
  stop(): void {
    this.current.process.stop()
  }

  /** SIGCONT. */
  continue(): void {
    this.current.process.continue()
  }

  /** The machine loses power. Its open connections are not closed. */
  switchOff(): void {
    this.current.process.kill()
    this.host.isOn = false
  }

  /** The process dies; its kernel ends the connections. */
  abstract kill(): void

  /** SIGTERM: the gateway closes, then its process ends. */
  terminate(): void {
    const { current, world } = this
    const { process } = current
    if (process.isDead || this.closing?.process === process) return
    this.closing = { process, at: process.activeMs }
    current.close(() => {
      // After this turn of its event loop.
      world.at(world.now, () => {
        if (this.current === current) this.kill()
      })
    })
  }

  close(): void {
    this.current.close(() => undefined)
  }

  remains(): string {
    return this.current.remains()
  }

  check(): void {
    const { current, closing } = this
    current.check()
    const { process } = current
    if (closing?.process !== process || process.isDead) return
    const waited = process.activeMs - closing.at
    if (waited > closeMs) this.report(this.name, `has not closed within ${waited} ms: ${this.remains()}`)
  }
}
