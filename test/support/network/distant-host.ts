import { once } from 'node:events'
import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { onTestFinished, vi, type MockInstance } from 'vitest'
import { spawnCommand } from '../process/node-process.js'
import { describeUnless } from '../run/skip.js'
import { eventually } from '../time/eventually.js'

/** `describe` of tests that need the counters of Linux, and its addresses 127.0.0.1 to 127.255.255.254. */
export const describeLinux = describeUnless(
  process.platform === 'linux' ? undefined : 'this system is not Linux',
)

/** The signature of `dns.lookup` with `all`. */
type Lookup = (
  host: string,
  options: unknown,
  callback: (error: null, addresses: readonly object[]) => void,
) => void

/** Until the end of the test, each host name has these addresses, in this order. */
export const giveNamesAddresses = (...addresses: readonly string[]): void => {
  const lookup = vi.spyOn(dns, 'lookup') as unknown as MockInstance<Lookup>
  onTestFinished(() => lookup.mockRestore())
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  lookup.mockImplementation((_host, _options, callback) => process.nextTick(() => callback(null, found)))
}

export interface DistantHost {
  readonly port: number
  /** Resolves when a handshake has begun, which then ends after a second, when the system repeats its first packet. */
  readonly accept: () => Promise<void>
}

/** Forwards each connection to another port. It is stopped as soon as it listens. */
const relay = `
const { connect, createServer } = require('node:net')
const server = createServer((client) => {
  const service = connect(Number(process.argv[1]), '127.0.0.1')
  for (const socket of [client, service]) socket.setNoDelay(true).on('error', () => socket.destroy())
  client.pipe(service).pipe(client)
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  process.stdout.write(String(server.address().port))
  setImmediate(() => process.kill(process.pid, 'SIGSTOP'))
})`

/**
 * Starts a host on 127.0.0.1 in front of a port whose TCP handshakes take longer than a second: its queue of connections is
 * full, so that the system drops the first packet of a handshake. Until `accept`, no handshake ends.
 */
export const startDistantHost = async (servicePort = 1): Promise<DistantHost> => {
  const child = spawnCommand([process.execPath, '-e', relay, String(servicePort)])
  await eventually(() => child.stdout !== '' && isStopped(child.process.pid))
  const port = Number(child.stdout)
  const queued: Socket[] = []
  onTestFinished(() => queued.forEach((socket) => socket.destroy()))
  // With a backlog of 1, Linux queues two.
  for (let count = 0; count < 2; count++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    queued.push(socket)
    await once(socket, 'connect')
  }
  const before = droppedHandshakes()
  return {
    port,
    accept: async () => {
      await eventually(() => droppedHandshakes() > before)
      for (const socket of queued) socket.destroy()
      child.process.kill('SIGCONT')
    },
  }
}

const isStopped = (pid = 0): boolean => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(' T ')

const droppedHandshakes = (): number => {
  const lines = readFileSync('/proc/net/netstat', 'utf8').split('\n')
  const [names = [], values = []] = lines
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '))
  return Number(values[names.indexOf('ListenOverflows')])
}
