import type { Host } from '../world/network.js'
import { SimulatedProcess } from '../world/process.js'
import type { ServerSocket } from '../world/web-socket-transport.js'
import type { World } from '../world/world.js'

/** A machine with a server of WebSockets. It can be stopped, killed, switched off and started again. */
export class ServerMachine<C extends { readonly socket: ServerSocket }> {
  readonly host: Host = { process: undefined, isOn: true }
  protected connections = new Set<C>()

  constructor(
    private readonly name: string,
    protected readonly world: World,
  ) {}

  /** Starts a process without connections. */
  protected startProcess(): SimulatedProcess {
    const process = new SimulatedProcess(this.name, this.world, 0, (thrown) => {
      throw thrown
    })
    process.readsAhead = false
    this.host.process = process
    this.host.isOn = true
    this.connections = new Set()
    return process
  }

  /** SIGSTOP. */
  stop(): void {
    this.host.process?.stop()
  }

  /** SIGCONT. */
  continue(): void {
    this.host.process?.continue()
  }

  /** The process dies; its kernel ends the connections. */
  kill(): void {
    this.host.process?.kill()
    for (const { socket } of this.connections) socket.abandon()
    this.connections = new Set()
  }

  /** The machine loses power. Its open connections are not closed. */
  switchOff(): void {
    this.host.process?.kill()
    this.host.isOn = false
    this.connections = new Set()
  }

  closeAll(code: number): void {
    for (const { socket } of this.connections) socket.close(code, `code ${code}`)
  }
}
