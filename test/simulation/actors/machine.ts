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
  close(): void
  /** What a closed gateway still has. */
  remains(): string
  check(): void
}

/** A machine with a gateway, which can be stopped, killed, switched off and started again. */
export class GatewayMachine<Program extends GatewayProgram> {
  readonly host: Host = { process: undefined, isOn: true }
  protected current: Program

  constructor(
    private readonly index: number,
    private readonly world: World,
    private readonly createProgram: (name: string) => Program,
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
    const stoppedMs = this.current.process.continue()
    if (stoppedMs !== undefined) this.ledger.onContinue(stoppedMs)
  }

  /** The machine loses power. Its open connections are not closed. */
  switchOff(): void {
    this.current.process.kill()
    this.host.isOn = false
  }

  close(): void {
    this.current.close()
  }

  remains(): string {
    return this.current.remains()
  }

  check(): void {
    this.current.check()
  }
}
