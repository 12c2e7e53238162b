import net, { type Socket } from 'node:net'
import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { createClient, type PriceClient } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { expect, it, onTestFinished } from 'vitest'
import { dialHost } from '../../../src/wire/transport/dial-host.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { describeLinux, giveNamesAddresses, startDistantHost } from '../../support/network/distant-host.js'
import { findUnusedPort, startHttpServer, startTcpServer } from '../../support/network/servers.js'
import { startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'

const portOf = (url: string): number => Number(new URL(url).port)

const clientOf = (port: number): PriceClient =>
  closeAfterTest(
    createClient({
      environment: 'mainnet',
      priceBaseUrl: `http://service.example:${port}`,
      priceWsUrl: `ws://service.example:${port}`,
    }),
  )

/** Dials a name over TCP. `attempts`: the addresses of the sockets; `sockets`: all of them. */
const startDial = (port: number) => {
  const attempts: string[] = []
  const sockets: Socket[] = []
  const results: Either<Error, Socket>[] = []
  const open = (host: string): Socket => {
    const socket = net.connect({ host, port })
    attempts.push(host)
    sockets.push(socket)
    return socket
  }
  const cancel = dialHost('service.example', open, 'connect', (result) => results.push(result))
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  return { attempts, sockets, results, cancel }
}

describeLinux('the first address of a name that is distant', () => {
  it('is reached, although the other ones fail first', async () => {
    const { port, accept } = await startDistantHost()
    giveNamesAddresses('127.0.0.1', '::1', '127.0.0.2')
    const { attempts, sockets, results } = startDial(port)
    await eventually(() => expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(2))
    expect([attempts, results]).toEqual([['127.0.0.1', '::1', '127.0.0.2'], []])
    await accept()
    await eventually(() => expect(results).toEqual([right(sockets[0])]))
  })

  it('serves prices over WebSocket: no event but prices arrives', async () => {
    const { priceWsUrl } = await startTestSimulator()
    const { port, accept } = await startDistantHost(portOf(priceWsUrl))
    giveNamesAddresses('127.0.0.1', '::1')
    const { events } = collectEvents(clientOf(port).price$(ethTopic))
    await accept()
    await eventually(() => expect(events.length).toBeGreaterThan(3))
    expect(events.every(isRight)).toBe(true)
  })

  it('serves a price over HTTP', async () => {
    const { priceBaseUrl } = await startTestSimulator()
    const { port, accept } = await startDistantHost(portOf(priceBaseUrl))
    giveNamesAddresses('127.0.0.1', '::1')
    const price = clientOf(port).price(ethTopic)()
    await accept()
    expect(await price).toMatchObject({ _tag: 'Right' })
  })

  it('serves a history', async () => {
    const gateway = await startHttpServer((_request, response) => response.end('[]\n'))
    const { port, accept } = await startDistantHost(portOf(gateway))
    giveNamesAddresses('127.0.0.1', '::1')
    const topics = openHistory(`http://service.example:${port}`).topics()()
    await accept()
    expect(await topics).toEqual(right([]))
  })

  it('does not keep a good address behind it from being used, and is given up then', async () => {
    const { port } = await startDistantHost()
    const server = net.createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.2', resolve))
    onTestFinished(() => void server.close())
    giveNamesAddresses('127.0.0.1', '127.0.0.2')
    const { sockets, results } = startDial(port)
    await eventually(() => expect(results).toEqual([right(sockets[1])]))
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false])
  })

  it('is given up when the dial is cancelled', async () => {
    const { port } = await startDistantHost()
    giveNamesAddresses('127.0.0.1', '127.0.0.1')
    const { sockets, results, cancel } = startDial(port)
    await eventually(() => expect(sockets).toHaveLength(2))
    cancel()
    await eventually(() => expect(sockets.map(({ closed }) => closed)).toEqual([true, true]))
    expect(results).toEqual([])
  })
})

it('dials the addresses in their order, and reports the errors of all', async () => {
  const port = await findUnusedPort()
  giveNamesAddresses('127.0.0.1', '127.0.0.2', '127.0.0.3', '::1')
  const { attempts, results } = startDial(port)
  await eventually(() => expect(results).toHaveLength(1))
  expect(attempts).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.3', '::1'])
  expect(results).toMatchObject([
    { _tag: 'Left', left: { errors: attempts.map((address) => ({ address })), code: 'ECONNREFUSED' } },
  ])
})

it('looks up no address for a dial that is cancelled at once', async () => {
  const port = await startTcpServer(() => undefined)
  giveNamesAddresses('127.0.0.1')
  const cancelled = startDial(port)
  cancelled.cancel()
  const { results } = startDial(port)
  await eventually(() => expect(results).toHaveLength(1))
  expect([cancelled.attempts, cancelled.results]).toEqual([[], []])
})
