import { createConnection, type Socket } from 'node:net'
import { eventually } from '../../support/time/eventually.js'
import { NatsCluster } from '../actors/nats-cluster.js'
import { usualSettings, type NatsServer, type NatsSettings } from '../actors/nats-server.js'
import { Link } from '../world/network.js'
import { SimulatedProcess } from '../world/process.js'
import { SimulatedTcp } from '../world/tcp.js'
import { World } from '../world/world.js'
import type { RealCluster } from './real-cluster.js'
import type { ClusterStage } from './run-cluster-script.js'
import type { Stage } from './run-script.js'

/** A real server. `onOpened`: destroys the sockets of the test. */
export const realStage = (port: number, onOpened: (socket: Socket) => void): Stage => ({
  connect: (_name, { onData, onClosed }) => {
    const socket = createConnection(port, '127.0.0.1').setNoDelay(true)
    onOpened(socket)
    socket
      .on('data', onData)
      .on('error', () => undefined)
      .on('close', onClosed)
    return {
      send: (text) => void socket.write(text, 'latin1'),
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
    }
  },
  until: (condition) => eventually(condition).then(() => undefined),
})

export const realClusterStage = (
  { servers, cut, heal }: RealCluster,
  onOpened: (socket: Socket) => void,
): ClusterStage => {
  const to = (index: number): Stage => realStage(servers[index]!.port, onOpened)
  return {
    ...{ to, until: to(0).until, cut, heal },
    kill: (index) => servers[index]!.kill(),
    start: (index) => servers[index]!.restart(),
  }
}

export const simulatedStage = (settings: Partial<NatsSettings>): Stage => {
  const world = new World('script', undefined)
  const cluster = new NatsCluster(world, 1, { ...usualSettings, ...settings })
  return stageOf(world, cluster, cluster.servers[0]!)
}

export const simulatedClusterStage = (): ClusterStage => {
  const world = new World('script', undefined)
  const cluster = new NatsCluster(world, 3)
  const linkOf = (one: number, other: number): Link => cluster.links[one + other - 1]!
  return {
    until: (condition) => until(world, condition),
    to: (index) => stageOf(world, cluster, cluster.servers[index]!),
    cut: (one, other) => linkOf(one, other).cut(),
    heal: (one, other) => linkOf(one, other).restore(),
    kill: (index) => {
      cluster.servers[index]!.kill()
      return Promise.resolve()
    },
    start: (index) => {
      cluster.servers[index]!.start()
      return Promise.resolve()
    },
  }
}

const stageOf = (world: World, { serverAt }: NatsCluster, { port }: NatsServer): Stage => ({
  connect: (name, { onData, onClosed }) => {
    const process = new SimulatedProcess(name, world, 0, (thrown) => {
      throw thrown
    })
    const socket = new SimulatedTcp(process, new Link(world), serverAt).open(port, name)
    socket
      .on('data', onData)
      .on('error', () => undefined)
      .on('close', onClosed)
    return {
      send: (text) => process.run(() => void socket.write(Buffer.from(text, 'latin1'))),
      pause: () => process.stop(),
      resume: () => void process.continue(),
    }
  },
  until: (condition) => until(world, condition),
})

/** Simulates until a condition is met. */
const until = async (world: World, condition: () => boolean): Promise<void> => {
  const end = world.now + 60_000
  while (!condition()) {
    if (world.now > end) throw new Error('the condition is not met after a simulated minute')
    await world.runUntil(world.now + 1)
  }
}
