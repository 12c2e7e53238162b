import { connect, type Script } from './scripts.js'

/** The connection of a client of a script. */
export interface ScriptClient {
  readonly send: (text: string) => void
  readonly pause: () => void
  readonly resume: () => void
}

/** Receives what a client reads. */
export interface ScriptListener {
  readonly onData: (bytes: Uint8Array) => void
  readonly onClosed: () => void
}

/** The server of a script, and the time in which it runs: real or simulated. */
export interface Stage {
  readonly connect: (name: string, listener: ScriptListener) => ScriptClient
  /** Waits for a condition. Rejects if it does not become true. */
  readonly until: (condition: () => boolean) => Promise<void>
}

/** What each client has read, by its name: the text, without pings and their answers. */
export type Transcripts = Readonly<Record<string, readonly string[]>>

export class Client {
  text = ''
  pongs = 0
  isClosed = false
  isPaused = false
  hasBeenPaused = false
  isMute = false
  readonly connection: ScriptClient
  private rest = ''

  constructor(stage: Pick<Stage, 'connect'>, name: string) {
    this.connection = stage.connect(name, {
      onData: (bytes) => this.onData(Buffer.from(bytes).toString('latin1')),
      onClosed: () => (this.isClosed = true),
    })
  }

  get transcript(): readonly string[] {
    const end = this.isClosed ? ['closed'] : []
    // How much fits into the kernels before a client is too slow varies.
    if (this.hasBeenPaused) return ['paused', ...end]
    return [...this.text.split('\r\n').map((line) => withoutNames(line)), ...end]
  }

  /** The number of servers of the cluster, by the last information of its server. */
  get knownServers(): number {
    const line = this.text.split('\r\n').findLast((each) => each.startsWith('INFO '))
    return line === undefined ? 0 : (infoOf(line).connect_urls?.length ?? 0)
  }

  private onData(data: string): void {
    const lines = (this.rest + data).split('\r\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === 'PONG') this.pongs++
      else if (line === 'PING') this.pong()
      else this.text += `${line}\r\n`
    }
  }

  private pong(): void {
    if (!this.isMute) this.connection.send('PONG\r\n')
  }
}

const isReason = (line: string): boolean => line.startsWith('-ERR')

/** A busy real server may end a connection before it has written its reason, which is then not compared. */
export const withoutLostReasons = (simulated: Transcripts, real: Transcripts): Transcripts =>
  Object.fromEntries(
    Object.entries(simulated).map(([name, lines]) => {
      const compared = real[name] ?? []
      const isLost = compared.at(-1) === 'closed' && !compared.some(isReason)
      return [name, isLost ? lines.filter((line) => !isReason(line)) : lines]
    }),
  )

/** Of the information of a server, only what it allows. */
const withoutNames = (line: string): string => {
  if (!line.startsWith('INFO ')) return line
  const { proto, headers, max_payload, auth_required, connect_urls } = infoOf(line)
  return JSON.stringify({ proto, headers, max_payload, auth_required, servers: connect_urls?.length })
}

interface ServerInfo extends Record<string, unknown> {
  readonly connect_urls?: readonly string[]
}

const infoOf = (line: string): ServerInfo => JSON.parse(line.slice(5)) as ServerInfo

/** Resolves when a client has read what its server has sent to it. */
export const settle = async (client: Client, stage: Pick<Stage, 'until'>): Promise<void> => {
  if (client.isClosed || client.isPaused || client.isMute) return
  const { pongs } = client
  client.connection.send('PING\r\n')
  await stage.until(() => client.isClosed || client.pongs > pongs)
}

/** Runs a script. After each step, every client has read what the server has sent to it. */
export const runScript = async ({ steps, hasUsers }: Script, stage: Stage): Promise<Transcripts> => {
  const clients = new Map<string, Client>()
  for (const [index, [name, action]] of steps.entries()) {
    let client = clients.get(name)
    if (client === undefined) {
      client = new Client(stage, name)
      const { text } = client
      clients.set(name, client)
      const created = client
      await stage.until(() => created.text !== text)
      if (hasUsers !== true && !action.startsWith('CONNECT')) await perform(client, connect, stage)
    }
    await perform(client, action, stage)
    // A ping to a server that has ended the connection resets it, and what was not read is lost.
    const isEnding = String(steps[index + 1]) === `${name},is closed`
    if (!isEnding) await settle(client, stage)
    for (const other of clients.values()) if (other !== client) await settle(other, stage)
  }
  return Object.fromEntries([...clients].map(([name, { transcript }]) => [name, transcript]))
}

const perform = async (client: Client, action: string, stage: Stage): Promise<void> => {
  switch (action) {
    case 'pause':
      client.isPaused = client.hasBeenPaused = true
      {
        client.connection.pause()
        return
      }
    case 'resume':
      client.isPaused = false
      {
        client.connection.resume()
        return
      }
    case 'mute':
      client.isMute = true
      return
    case 'is closed':
      return stage.until(() => client.isClosed)
    default: {
      client.connection.send(`${action}\r\n`)
      return
    }
  }
}
