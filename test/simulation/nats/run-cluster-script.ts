import type { ClusterScript, ServerIndex } from './cluster-scripts.js'
import { Client, settle, type Stage, type Transcripts } from './run-script.js'
import { connect } from './scripts.js'

/** A cluster of three servers, and the time in which it runs: real or simulated. */
export interface ClusterStage extends Pick<Stage, 'until'> {
  readonly to: (server: ServerIndex) => Pick<Stage, 'connect'>
  readonly cut: (one: ServerIndex, other: ServerIndex) => void
  readonly heal: (one: ServerIndex, other: ServerIndex) => void
  readonly kill: (server: ServerIndex) => Promise<void>
  readonly start: (server: ServerIndex) => Promise<void>
}

const servers: readonly ServerIndex[] = [0, 1, 2]

/** Runs a script on a cluster. After each step, every client has read what any server has sent to it. */
export const runClusterScript = (script: ClusterScript, stage: ClusterStage): Promise<Transcripts> =>
  new ClusterRun(stage).run(script)

class ClusterRun {
  private readonly clients = new Map<string, Client>()
  /** A client of each server that runs. They send messages to each other, and read the information about the cluster. */
  private readonly probes = new Map<ServerIndex, Client>()
  private readonly cuts = new Set<string>()
  private probeNumber = 0

  constructor(private readonly stage: ClusterStage) {}

  async run({ steps }: ClusterScript): Promise<Transcripts> {
    for (const server of servers) await this.addProbe(server)
    await this.settleAll()
    for (const [subject, parameter] of steps) {
      switch (subject) {
        case 'cut':
          this.stage.cut(...parameter)
          this.cuts.add(String(parameter))
          break
        case 'heal':
          this.stage.heal(...parameter)
          this.cuts.delete(String(parameter))
          break
        case 'kill':
          await this.kill(parameter)
          break
        case 'start':
          await this.stage.start(parameter)
          await this.addProbe(parameter)
          break
        default:
          await this.send(subject, parameter)
      }
      await this.settleAll()
    }
    return Object.fromEntries([...this.clients].map(([name, { transcript }]) => [name, transcript]))
  }

  private async send(name: string, text: string): Promise<void> {
    const client = this.clients.get(name) ?? (await this.addClient(name, text))
    client.connection.send(`${text}\r\n`)
    if (text !== unknownOperation) return
    await this.stage.until(() => client.isClosed)
  }

  private async addClient(name: string, firstText: string): Promise<Client> {
    const client = new Client(this.stage.to(Number(name.at(-1)) as ServerIndex), name)
    this.clients.set(name, client)
    await this.stage.until(() => client.text !== '')
    if (!firstText.startsWith('CONNECT')) client.connection.send(`${connect}\r\n`)
    return client
  }

  private async addProbe(server: ServerIndex): Promise<void> {
    const probe = new Client(this.stage.to(server), `probe ${server}`)
    this.probes.set(server, probe)
    await this.stage.until(() => probe.text !== '')
    probe.connection.send(
      `CONNECT {"verbose":false,"pedantic":false,"protocol":1}\r\nSUB probes.${server} 1\r\n`,
    )
  }

  private async kill(server: ServerIndex): Promise<void> {
    this.probes.delete(server)
    await this.stage.kill(server)
    const ofServer = [...this.clients].filter(([name]) => name.endsWith(String(server)))
    await this.stage.until(() => ofServer.every(([, { isClosed }]) => isClosed))
  }

  /** A route keeps the order: a message of a probe arrives after all that its server has sent before. */
  private async settleAll(): Promise<void> {
    const { stage, probes } = this
    const settleClients = async (): Promise<void> => {
      for (const client of [...this.clients.values(), ...probes.values()]) await settle(client, stage)
    }
    await settleClients()
    for (const [server, probe] of probes) {
      const expected = this.reachableFrom(server).length + 1
      await stage.until(() => probe.knownServers === expected)
    }
    // The interest in the subjects of a server that joins arrives before the second message.
    for (let round = 0; round < 2; round++) for (const server of probes.keys()) await this.sendProbes(server)
    await settleClients()
  }

  private async sendProbes(from: ServerIndex): Promise<void> {
    const { connection } = this.probes.get(from)!
    for (const to of this.reachableFrom(from)) {
      const text = `probe ${++this.probeNumber}.`
      await this.stage.until(() => {
        if (this.probes.get(to)!.text.includes(text)) return true
        connection.send(`PUB probes.${to} ${text.length}\r\n${text}\r\n`)
        return false
      })
    }
  }

  private reachableFrom(server: ServerIndex): readonly ServerIndex[] {
    const isCut = (other: ServerIndex): boolean =>
      this.cuts.has(`${server},${other}`) || this.cuts.has(`${other},${server}`)
    return servers.filter((other) => other !== server && this.probes.has(other) && !isCut(other))
  }
}

const unknownOperation = 'WRONG'
