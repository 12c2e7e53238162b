import { connect } from '@nats-io/transport-node'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { firstValueFrom } from 'rxjs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { NatsLink } from '../../../src/nats/connection/nats-link.js'
import { parseConnection, type NatsOptions } from '../../../src/nats/options.js'
import { currentClock } from '../../../src/base/time/clock.js'
import { collectEvents } from '../../support/collect-events.js'
import { createSelfSignedCertificate } from '../../support/network/certificate.js'
import { describeLinux, giveNamesAddresses, startDistantHost } from '../../support/network/distant-host.js'
import { findUnusedPort, startTcpServer } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { createNatsClient } from '../support/start-in-process.js'

const infoOf = (settings: string): string => `INFO {"version":"2.10.0","max_payload":1048576${settings}}\r\n`

/** What a server sends before it is silent. */
const silentServers = {
  'sends nothing': '',
  'answers no TLS handshake': infoOf(',"tls_required":true'),
  'answers no ping': infoOf(''),
}

/** Starts a server that accepts TCP. `answersPings`: it accepts NATS clients. Counts its open sockets. */
const startServer = async ({
  greeting,
  answersPings,
  port: wanted = 0,
}: {
  greeting: string
  answersPings: boolean
  port?: number
}) => {
  const counts = { dials: 0, open: 0 }
  const sockets: Socket[] = []
  const server = net.createServer((socket) => {
    counts.dials++
    counts.open++
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => counts.open--)
    socket.on('data', (data) => answersPings && data.includes('PING') && socket.write('PONG\r\n'))
    if (greeting !== '') socket.write(greeting)
  })
  const stop = (): void => {
    server.close()
    sockets.forEach((socket) => socket.destroy())
  }
  onTestFinished(stop)
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  return { url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`, counts, sockets, stop }
}

const startSilent = (greeting: string) => startServer({ greeting, answersPings: false })

/** Connects to servers in their order. `events`: the servers of its connections, and `lost`. */
const openLink = (servers: readonly string[], options: Omit<NatsOptions, 'servers'> = {}) => {
  const events: string[] = []
  const link = new NatsLink(parseConnection({ servers, noRandomize: true, ...options }), currentClock())
  onTestFinished(() => link.close())
  link.connection$.subscribe((connection) => events.push(connection?.getServer() ?? 'lost'))
  return { link, events }
}

const hostOf = (url: string): string => new URL(url).host

it.each(Object.entries(silentServers))(
  'destroys the socket of a dial when the link is closed, to a server that %s',
  async (_title, greeting) => {
    const { url, counts } = await startSilent(greeting)
    const { link, events } = openLink([url])
    await eventually(() => expect(counts).toEqual({ dials: 1, open: 1 }))
    await link.close()
    await eventually(() => expect(counts).toEqual({ dials: 1, open: 0 }))
    expect(events).toEqual([])
  },
)

it.each(Object.entries(silentServers))(
  'dials the next server after one that %s, whose socket it destroys',
  async (_title, greeting) => {
    const silent = await startSilent(greeting)
    const accepting = await startServer({ greeting: infoOf(''), answersPings: true })
    const { events } = openLink([silent.url, accepting.url])
    await eventually(() => expect(events).toEqual([hostOf(accepting.url)]))
    await eventually(() => expect(silent.counts).toEqual({ dials: 1, open: 0 }))
    expect(accepting.counts).toEqual({ dials: 1, open: 1 })
  },
)

it.each(Object.entries(silentServers))(
  'has one socket at a time to a server that %s',
  async (_title, greeting) => {
    const { url, counts } = await startSilent(greeting)
    openLink([url])
    await eventually(() => expect(counts.dials).toBeGreaterThan(2))
    expect(counts.open).toBeLessThanOrEqual(2)
  },
)

it('connects to a server that was away at the start when the one that it uses is lost', async () => {
  const port = await findUnusedPort()
  const first = await startServer({ greeting: infoOf(''), answersPings: true })
  const { events } = openLink([`nats://127.0.0.1:${port}`, first.url])
  await eventually(() => expect(events).toEqual([hostOf(first.url)]))
  await startServer({ greeting: infoOf(''), answersPings: true, port })
  first.stop()
  await eventually(() => expect(events.at(-1)).toBe(`127.0.0.1:${port}`))
})

it('connects again after the system clock was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  const { url, sockets, counts } = await startServer({ greeting: infoOf(''), answersPings: true })
  const { events } = openLink([url])
  await eventually(() => expect(events).toEqual([hostOf(url)]))
  vi.setSystemTime(Date.now() - 3_600_000)
  sockets.forEach((socket) => socket.destroy())
  await eventually(() => expect(counts.dials).toBe(2))
  await eventually(() => expect(events).toHaveLength(3))
})

/** Starts a server that sends the address of another one, which joins after the first ping, with each later answer. */
const startServerOfCluster = async (joining: string) => {
  const sockets: Socket[] = []
  const port = await startTcpServer((socket) => {
    sockets.push(socket)
    let pings = 0
    socket.on('data', (data) => {
      if (!data.includes('PING')) return
      const cluster = pings++ === 0 ? '' : infoOf(`,"connect_urls":["${joining}"]`)
      socket.write(`${cluster}PONG\r\n`)
    })
    socket.write(infoOf(''))
  })
  return { url: `nats://127.0.0.1:${port}`, sockets }
}

it('dials a server that has joined the cluster since it connected, when the connection is lost', async () => {
  const joining = await startServer({ greeting: infoOf(''), answersPings: true })
  const first = await startServerOfCluster(new URL(joining.url).host)
  const { link, events } = openLink([first.url])
  await eventually(() => expect(events).toHaveLength(1))
  // The answer to the second ping announces the other server.
  const connection = await firstValueFrom(link.connection$)
  await connection?.flush()
  first.sockets[0]?.destroy()
  await eventually(() => expect([joining.counts.open, first.sockets.length]).toEqual([1, 1]))
})

it('connects to another server after a search for a gateway that nothing has answered', async () => {
  const accepting = { greeting: infoOf(''), answersPings: true }
  const servers = [await startServer(accepting), await startServer(accepting)] as const
  const client = createNatsClient({ servers: servers.map(({ url }) => url), noRandomize: true })
  collectEvents(client.price$(ethTopic))
  const dials = (): readonly number[] => servers.map(({ counts }) => counts.dials)
  await eventually(() => expect(dials()).toEqual([1, 0]))
  await eventually(() => expect(dials()).toEqual([1, 1]))
  await eventually(() => expect(dials()).toEqual([2, 1]))
})

it("reconnects the program's own connection, and its own after the program has connected", async () => {
  const options = { greeting: infoOf(''), answersPings: true }
  const [theirs, ours] = [await startServer(options), await startServer(options)]
  const { events } = openLink([ours.url])
  await eventually(() => expect(events).toHaveLength(1))
  const own = await connect({ servers: theirs.url, reconnectTimeWait: 1, maxReconnectAttempts: -1 })
  onTestFinished(() => own.close())
  ours.sockets[0]?.destroy()
  await eventually(() => expect(ours.counts).toEqual({ dials: 2, open: 1 }))
  theirs.sockets[0]?.destroy()
  await eventually(() => expect(theirs.counts).toEqual({ dials: 2, open: 1 }))
  await own.flush()
  await eventually(() => expect(events).toHaveLength(3))
})

it.each([
  ['nats.example', 'nats.example', true],
  ['nats.example', 'localhost', false],
  ['127.0.0.1', 'nats.example', true],
  ['127.0.0.2', 'localhost', false],
])(
  'of a server %s with a certificate for %s and 127.0.0.1, accepts it: %s',
  async (host, name, isAccepted) => {
    const certificate = createSelfSignedCertificate({ host: name })
    const server = createTlsServer(certificate, (socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', (data: Buffer) => data.includes('PING') && socket.write('PONG\r\n'))
      socket.write(infoOf(',"tls_required":true'))
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, resolve))
    giveNamesAddresses('127.0.0.1')
    const url = `nats://${host}:${(server.address() as AddressInfo).port}`
    const { link, events } = openLink([url], { tls: { ca: certificate.cert, handshakeFirst: true } })
    if (isAccepted) await eventually(() => expect(events).toEqual([hostOf(url)]))
    else await eventually(() => expect(link.problemText).toMatch(/does not match certificate's altnames/))
  },
)

describeLinux('a server name whose first address is dead', () => {
  it('is reached by its second address', async () => {
    const { port } = await startDistantHost()
    const { url, counts } = await startServer({ greeting: infoOf(''), answersPings: true })
    const relay = net.createServer((client) => {
      const service = net.connect(Number(new URL(url).port), '127.0.0.1')
      client.on('error', () => service.destroy())
      service.on('error', () => client.destroy())
      client.pipe(service).pipe(client)
    })
    await new Promise<void>((resolve) => relay.listen(port, '127.0.0.2', resolve))
    onTestFinished(() => void relay.close())
    giveNamesAddresses('127.0.0.1', '127.0.0.2')
    const name = `nats://nats.example:${port}`
    const { events } = openLink([name])
    await eventually(() => expect(events).toEqual([hostOf(name)]))
    expect(counts.dials).toBe(1)
  })
})

const clusterCertificate = createSelfSignedCertificate({ host: 'localhost' })

/** A server of a cluster, which announces the address of another one. */
const startSecureServer = async (host: string, others: readonly string[] = []) => {
  const sockets: TLSSocket[] = []
  const server = createTlsServer(clusterCertificate, (socket) => {
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (data: Buffer) => data.includes('PING') && socket.write('PONG\r\n'))
    const info = { server_id: host, version: '2.10.0', max_payload: 1024, tls_required: true, headers: true }
    socket.write(`INFO ${JSON.stringify({ ...info, connect_urls: others })}\r\n`)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const stop = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(stop)
  return { port: (server.address() as AddressInfo).port, stop }
}

it.each([
  ['localhost', true],
  ['127.0.0.1', false],
])(
  'of a cluster that is configured by %s, accepts the certificate of localhost for another address: %s',
  async (configured, isAccepted) => {
    const second = await startSecureServer('127.0.0.2')
    const first = await startSecureServer('127.0.0.1', [`127.0.0.2:${second.port}`])
    const { link, events } = openLink([`tls://${configured}:${first.port}`], {
      tls: { ca: clusterCertificate.cert, handshakeFirst: true },
    })
    const url = `${configured}:${first.port}`
    await eventually(() => expect(events).toEqual([url]))
    first.stop()
    const all = isAccepted ? [url, 'lost', `127.0.0.2:${second.port}`] : [url, 'lost']
    await eventually(() => expect(events).toEqual(all))
    if (!isAccepted)
      await eventually(() => expect(link.problemText).toContain("IP: 127.0.0.2 is not in the cert's list"))
  },
)
