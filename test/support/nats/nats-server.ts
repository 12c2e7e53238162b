import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyAndCertificate } from '../network/certificate.js'
import type { EnvironmentVariables } from '../process/environment.js'
import { spawnCommand, type NodeProcess } from '../process/node-process.js'
import { eventually } from '../time/eventually.js'
import { natsServer } from './describe-nats.js'

/** A `nats-server` process on 127.0.0.1. It is killed when the test finishes. */
export interface NatsServer {
  /** `nats://127.0.0.1:<port>`. */
  readonly url: string
  readonly port: number
  /** URL for the routes of other servers; empty unless the server belongs to a cluster. */
  readonly routeUrl: string
  /** Its log. */
  readonly log: () => string
  /** Sends a signal: `SIGSTOP` and `SIGCONT` are a machine that hangs. */
  readonly signal: (signal: NodeJS.Signals) => void
  /** Kills the process. Resolves when it has gone. */
  readonly kill: () => Promise<void>
  /** Starts a new process on the same ports. Resolves when it accepts connections. */
  readonly restart: () => Promise<void>
  /** Makes the process read another text of the configuration file. */
  readonly reload: (config: string) => void
}

export interface NatsServerOptions {
  /** Registers a function that runs when the test has finished: `onTestFinished`, in concurrent tests that of their context. */
  readonly onFinished: (release: () => void) => void
  /** Text of the configuration file, such as accounts and permissions. */
  readonly config?: string
  /** The variables that the configuration uses. */
  readonly environment?: EnvironmentVariables
  /** Makes the server require TLS. */
  readonly certificate?: KeyAndCertificate
  /** Makes the server a member of a cluster: the route URLs of the members that are already there. */
  readonly routes?: readonly string[]
  /** The address of its routes that it passes on to other servers, as `<host>:<port>`. Default: its own. */
  readonly routeAddress?: string
}

/** The settings of docs/operate/many-machines.md: the server disconnects a client that does not read, before it delays others. */
const limits = 'max_pending: 64MB\nwrite_deadline: "2s"'

interface Ports {
  readonly client: number
  readonly route: number
}

/** Starts a server on free ports. Resolves when it accepts connections. */
export const startNatsServer = async ({
  onFinished,
  config = '',
  environment = {},
  certificate,
  routes,
  routeAddress,
}: NatsServerOptions): Promise<NatsServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'nats-server-'))
  onFinished(() => rmSync(folder, { recursive: true, force: true }))
  const tls = certificate === undefined ? '' : writeTlsSettings(certificate, folder)

  const file = join(folder, 'server.conf')
  const writeConfig = (wanted: Ports, text: string): void => {
    const advertise = routeAddress === undefined ? '' : `, advertise: "${routeAddress}"`
    const cluster =
      routes === undefined
        ? ''
        : `cluster { name: test, listen: "127.0.0.1:${wanted.route}", routes: ${JSON.stringify(routes)}${advertise} }`
    const listen = `listen: "127.0.0.1:${wanted.client}"\nports_file_dir: ${JSON.stringify(folder)}`
    writeFileSync(file, [listen, limits, cluster, tls, text].join('\n'))
  }
  const start = async (wanted: Ports): Promise<{ readonly server: NodeProcess; readonly ports: Ports }> => {
    writeConfig(wanted, config)
    const server = spawnCommand([natsServer, '-c', file], { onFinished, environment })
    const ports = await portsOf(server, folder)
    await eventually(() => server.output.includes('Server is ready'))
    return { server, ports }
  }

  // A port of -1 is a free one.
  let started: Ports = { client: -1, route: -1 }
  let { server, ports } = await start(started)
  return {
    url: `nats://127.0.0.1:${ports.client}`,
    port: ports.client,
    routeUrl: routes === undefined ? '' : `nats://127.0.0.1:${ports.route}`,
    log: () => server.output,
    signal: (signal) => void server.process.kill(signal),
    kill: async () => {
      server.process.kill('SIGKILL')
      await server.waitForExit()
    },
    restart: async () => {
      started = ports
      ;({ server, ports } = await start(ports))
    },
    reload: (text) => {
      writeConfig(started, text)
      server.process.kill('SIGHUP')
    },
  }
}

/** Writes the files of a certificate. Returns the settings that name them. */
const writeTlsSettings = ({ key, cert }: KeyAndCertificate, folder: string): string => {
  const write = (name: string, text: string): string => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return JSON.stringify(file)
  }
  return `tls { key_file: ${write('key.pem', key)}, cert_file: ${write('cert.pem', cert)} }`
}

/** Reads the file in which the server names its ports. Throws with its log if it exits instead. */
const portsOf = async (server: NodeProcess, folder: string): Promise<Ports> => {
  const file = join(folder, `nats-server_${server.process.pid}.ports`)
  let text = ''
  await eventually(() => {
    if (server.process.exitCode !== null) return true
    text = readFileSync(file, 'utf8')
    return text.endsWith('}')
  })
  if (text === '') throw new Error(`nats-server did not start:\n${server.output}`)
  const { nats = [], cluster = [] } = JSON.parse(text) as { nats?: string[]; cluster?: string[] }
  const portOf = ([url = '']: readonly string[]): number => Number(new URL(url).port)
  return { client: portOf(nats), route: cluster.length === 0 ? -1 : portOf(cluster) }
}

/** Starts a cluster of three servers. Resolves when each one has a route to both others. */
export const startNatsCluster = async (
  options: Omit<NatsServerOptions, 'routes'>,
): Promise<readonly [NatsServer, NatsServer, NatsServer]> => {
  const first = await startNatsServer({ ...options, routes: [] })
  const join = () => startNatsServer({ ...options, routes: [first.routeUrl] })
  const [second, third] = await Promise.all([join(), join()])
  const servers = [first, second, third] as const
  await Promise.all(
    servers.map(({ log }) =>
      eventually(() => (log().match(/Route connection created/g) ?? []).length >= servers.length - 1),
    ),
  )
  return servers
}
