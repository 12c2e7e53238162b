import { describe, expect, it } from 'vitest'
import { giveNamesAddresses } from '../../../support/network/distant-host.js'
import {
  findUnusedPort,
  startHttpServer,
  startTcpServer,
  startWebSocketServer,
} from '../../../support/network/servers.js'
import { dial, expectClosedOnce } from './support/dial.js'

describe('a dial fails', () => {
  const expectFailure = async (url: string, reason: RegExp): Promise<void> => {
    const dialled = dial(url)
    await expectClosedOnce(dialled)
    expect(dialled.recorded.events).toEqual([['closed', 1006, expect.stringMatching(reason)]])
  }

  it.each([503, 500, 401, 200])('if the upgrade gets status %i', async (status) => {
    const origin = await startHttpServer((_request, response) => response.writeHead(status).end('no'))
    const url = origin.replace('http', 'ws')
    await expectFailure(url, new RegExp(`Unexpected server response: ${status}`))
  })

  it('for a redirect, which is not followed', async () => {
    const { url, clients } = await startWebSocketServer(() => undefined)
    const origin = await startHttpServer((_request, response) =>
      response.writeHead(302, { location: url }).end(),
    )
    await expectFailure(origin.replace('http', 'ws'), /302/)
    expect(clients.size).toBe(0)
  })

  it('if the port has no listener', async () => {
    await expectFailure(`ws://127.0.0.1:${await findUnusedPort()}`, /ECONNREFUSED/)
  })

  it('with the errors of all addresses of a host', async () => {
    const port = await findUnusedPort()
    giveNamesAddresses('127.0.0.2', '127.0.0.1')
    await expectFailure(
      `ws://two.invalid:${port}`,
      new RegExp(`^connect ECONNREFUSED 127.0.0.2:${port}; connect ECONNREFUSED 127.0.0.1:${port}$`),
    )
  })

  it('if the host does not exist', async () => {
    await expectFailure(`ws://${'x'.repeat(64)}.invalid`, /ENOTFOUND|EAI_AGAIN/)
  })

  it('if the connection is closed before the response', async () => {
    const port = await startTcpServer((socket) => socket.once('data', () => socket.destroy()))
    await expectFailure(`ws://127.0.0.1:${port}`, /./)
  })

  it('if the response is not HTTP', async () => {
    const port = await startTcpServer((socket) =>
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')),
    )
    await expectFailure(`ws://127.0.0.1:${port}`, /./)
  })

  it('if the response has the wrong key', async () => {
    const response =
      'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n'
    const port = await startTcpServer((socket) => socket.once('data', () => socket.write(response)))
    await expectFailure(`ws://127.0.0.1:${port}`, /Sec-WebSocket-Accept/)
  })
})
