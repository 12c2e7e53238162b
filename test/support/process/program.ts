import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isListening } from '../network/servers.js'
import { eventually } from '../time/eventually.js'
import { spawnCommand, type NodeProcess, type SpawnOptions } from './node-process.js'

// Programs of other projects. `.ci/packages` lists the packages of Debian that have them.

/** The `PATH` of a user often lacks the folder of servers. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']

/** The path of an installed program. Throws an error that names the package of Debian which has it. */
export const pathOf = (name: string, packageName = name): string => {
  const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  if (found === undefined)
    throw new Error(`${name} is not installed: apt-get install ${packageName}, or all of .ci/packages`)
  return found
}

/** Starts a program that listens on a port of 127.0.0.1. Resolves when it accepts connections. */
export const startServer = async (
  command: readonly [string, ...string[]],
  port: number,
  options?: SpawnOptions,
): Promise<NodeProcess> => {
  const server = spawnCommand(command, options)
  await eventually(async () => {
    if (server.process.exitCode !== null) throw new Error(`${command.join(' ')} has ended: ${server.output}`)
    return isListening(port)
  })
  return server
}

/** Runs a program until it exits. Resolves to its exit code and its output. */
export const runToExit = async (command: readonly [string, ...string[]], options?: SpawnOptions) => {
  const program = spawnCommand(command, options)
  const code = await program.waitForExit()
  return { code, stdout: program.stdout, output: program.output }
}
