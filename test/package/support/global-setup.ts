import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { bundlerPackages, frameworkPackages } from './bundlers.js'
import { oldestCompiler } from './compile.js'
import { install, installInCopy } from './install.js'
import { pack } from './pack.js'
import { optionalPeers, streamLibraries } from './packed.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const programs = fileURLToPath(new URL('../programs', import.meta.url))

/** The folders of a user program: without and with the optional peers, and the other libraries of streams. */
const installUser = async (root: string, tarball: string): Promise<readonly [string, string]> => {
  const user = await install(root, 'user', [tarball])
  await cp(programs, join(user, 'programs'), { recursive: true })
  return [
    user,
    await installInCopy(user, 'with-peers', [...Object.values(optionalPeers), ...streamLibraries]),
  ]
}

/** Packs and installs the package once for all tests. Returns the teardown. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const root = await mkdtemp(join(tmpdir(), 'svc-streams-'))
  const tarball = await pack(repository, root)
  const [[user, withPeers], tools, bundlers] = await Promise.all([
    installUser(root, tarball),
    install(root, 'tools', ['@types/node@20', oldestCompiler]),
    install(root, 'bundlers', [tarball, ...bundlerPackages, ...frameworkPackages]),
  ])
  await cp(join(programs, 'page'), join(bundlers, 'page'), { recursive: true })
  for (const example of ['browser', 'store'])
    await cp(join(repository, 'examples', example), join(bundlers, example), { recursive: true })
  for (const program of ['store', 'server'])
    await cp(join(programs, program), join(bundlers, program), { recursive: true })
  project.provide('packed', {
    tarball,
    user,
    withPeers,
    tools,
    bundlers,
    package: join(user, 'node_modules/svc-streams'),
  })
  return () => rm(root, { recursive: true, force: true })
}
