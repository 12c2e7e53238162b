import { connect, wsconnect, type NatsConnection } from '@nats-io/transport-node'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { dialServers } from '../../../src/nats/connection/dial.js'
import { NatsLink } from '../../../src/nats/connection/nats-link.js'
import { currentClock } from '../../../src/base/time/rx-clock.js'
import { createSelfSignedCertificate } from '../../support/network/certificate.js'
import { describeLinux, giveNamesAddresses, startDistantHost } from '../../support/network/distant-host.js'
import { startTcpServer } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'

// The NATS client's own timeout would end each dial, too: it is longer here than a test may take.
const timeout = 600_000

const infoOf = (settings: string): string => `INFO {"version":"2.10.0","max_payload":1048576${settings}}\r\n`

/** What a server sends before it is silent. */
const silentServers = {
  'sends nothing': '',
  'answers no TLS handshake': infoOf(',"tls_required":true'),
  'answers no ping': infoOf(''),
}

/** Starts a server that accepts TCP. `answersPings`: it accepts NATS clients. Counts its open sockets. */
const startServer = async ({ greeting, answersPings }: { greeting: string; answersPings: boolean }) => {
  const counts = { dials: 0, open: 0 }
  const port = await startTcpServer((socket) => {
    counts.dials++
    counts.open++
    socket.on('close', () => counts.open--)
    socket.on('end', () => socket.end())
    socket.on('data', (data) => answersPings && data.includes('PING') && socket.write('PONG\r\n'))
    if (greeting !== '') socket.write(greeting)
  })
  return { url: `nats://127.0.0.1:${port}`, counts }
}

const startSilent = (greeting: string) => startServer({ greeting, answersPings: false })

/** Dials servers. `results`: the calls of the listener. */
const startDial = (servers: readonly string[], tls: object | null = null) => {
  const results: unknown[] = []
  const cancel = dialServers(servers, { timeout, reconnect: false, tls }, currentClock(), {
    onConnected: (connection: NatsConnection, server) => {
      onTestFinished(() => connection.close())
      results.push(server)
    },
    onFailed: (error) => results.push(error),
  })
  onTestFinished(cancel)
  return { results, cancel }
}

it.each(Object.entries(silentServers))(
  'destroys the socket of a dial that is cancelled, to a server that %s, and calls nothing back',
  async (_title, greeting) => {
    const { url, counts } = await startSilent(greeting)
    const { results, cancel } = startDial([url])
    await eventually(() => expect(counts).toEqual({ dials: 1, open: 1 }))
    cancel()
    await eventually(() => expect(counts).toEqual({ dials: 1, open: 0 }))
    expect(results).toEqual([])
  },
)

it.each(Object.entries(silentServers))(
  'destroys the socket to a server that %s once another one has accepted',
  async (_title, greeting) => {
    const silent = await startSilent(greeting)
    const accepting = await startServer({ greeting: infoOf(''), answersPings: true })
    const { results } = startDial([silent.url, accepting.url])
    await eventually(() => expect(results).toEqual([accepting.url]))
    await eventually(() => expect(silent.counts).toEqual({ dials: 1, open: 0 }))
    expect(accepting.counts).toEqual({ dials: 1, open: 1 })
  },
)

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
  const link = new NatsLink({ servers: first.url }, currentClock())
  onTestFinished(() => link.close())
  const use = (): void => {
    link.use({
      onConnected: (connection) => {
        if (first.sockets.length > 1 || joining.counts.open > 0) return
        void connection.flush().then(() => first.sockets[0]?.destroy())
      },
      onLost: use,
    })
  }
  use()
  await eventually(() => expect([joining.counts.open, first.sockets.length]).toEqual([1, 1]))
})

it('connects to another server after two searches for a gateway that nothing has answered', async () => {
  const accepting = { greeting: infoOf(''), answersPings: true }
  const servers = [await startServer(accepting), await startServer(accepting)] as const
  const link = new NatsLink({ servers: servers.map(({ url }) => url), noRandomize: true }, currentClock())
  onTestFinished(() => link.close())
  const connections: NatsConnection[] = []
  const use = (): void => {
    link.use({ onConnected: (connection) => void connections.push(connection), onLost: use })
  }
  const dials = (): readonly number[] => servers.map(({ counts }) => counts.dials)
  use()
  await eventually(() => connections.length === 1)
  link.onUnanswered(connections[0]!)
  link.onAnswered()
  link.onUnanswered(connections[0]!)
  expect([connections.length, dials()]).toEqual([1, [1, 0]])
  link.onUnanswered(connections[0]!)
  await eventually(() => connections.length === 2)
  expect(dials()).toEqual([1, 1])
  link.onUnanswered(connections[1]!)
  link.onUnanswered(connections[1]!)
  await eventually(() => connections.length === 3)
  expect(dials()).toEqual([2, 1])
})

/** Answers NATS clients. `connects`: the `lang` of each client that connects. */
const startProgramServers = async () => {
  const connects: string[] = []
  const clients: { readonly cut: () => void }[] = []
  const serve = (write: (text: string) => void, cut: () => void) => {
    clients.push({ cut })
    write(infoOf(''))
    return (data: Buffer): void => {
      const [, lang] = /"lang":"([^"]+)"/.exec(data.toString()) ?? []
      if (lang !== undefined) connects.push(lang)
      if (data.includes('PING')) write('PONG\r\n')
    }
  }
  const port = await startTcpServer((socket) => {
    socket.on(
      'data',
      serve(
        (text) => socket.write(text),
        () => socket.destroy(),
      ),
    )
  })
  const webSockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => webSockets.close())
  webSockets.on('connection', (socket) => {
    socket.on(
      'message',
      serve(
        (text) => socket.send(Buffer.from(text)),
        () => socket.terminate(),
      ),
    )
  })
  await once(webSockets, 'listening')
  const { port: webSocketPort } = webSockets.address() as AddressInfo
  return {
    tcp: `nats://127.0.0.1:${port}`,
    webSocket: `ws://127.0.0.1:${webSocketPort}`,
    connects,
    cutFirst: () => clients[0]?.cut(),
  }
}

it.each([
  ['connect', 'nats.js'],
  ['wsconnect', 'nats.ws'],
] as const)(
  "leaves the transport of the program's own %s as it is, also for its reconnects",
  async (method, lang) => {
    const { tcp, webSocket, connects, cutFirst } = await startProgramServers()
    const options = { reconnectTimeWait: 1, maxReconnectAttempts: -1 }
    const wsFactory = (url: string) =>
      Promise.resolve({ socket: new WebSocket(url) as unknown as globalThis.WebSocket, encrypted: false })
    const own = await (method === 'connect'
      ? connect({ ...options, servers: tcp })
      : wsconnect({ ...options, servers: webSocket, wsFactory }))
    onTestFinished(() => own.close())
    const { results } = startDial([tcp])
    await eventually(() => expect(results).toEqual([tcp]))
    cutFirst()
    await eventually(() => expect(connects).toEqual([lang, 'svc-streams', lang]))
    const again = startDial([tcp])
    await eventually(() => expect(again.results).toEqual([tcp]))
    expect(connects.slice(3)).toEqual(['svc-streams'])
  },
)

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
    const { results } = startDial([url], { ca: certificate.cert, handshakeFirst: true })
    await eventually(() => expect(results).toHaveLength(1))
    expect(results).toEqual([
      isAccepted ? url : expect.objectContaining({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    ])
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
    const { results } = startDial([name])
    await eventually(() => expect(results).toEqual([name]))
    expect(counts.dials).toBe(1)
  })
})
