import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackDebianPackage } from '../debian-package.js'
import { describeUnless } from '../run/skip.js'

type Variables = Readonly<Record<string, string>>

const importWebsockets = (variables: Variables): Promise<unknown> =>
  promisify(execFile)('python3', ['-c', 'import websockets'], { env: { ...process.env, ...variables } })

/** The variables with which `python3` imports websockets: installed, or from Debian's package, which is pure Python. */
const findWebsockets = async (): Promise<Variables> => {
  const isInstalled = await importWebsockets({}).then(
    () => true,
    () => false,
  )
  if (isInstalled) return {}
  const folder = await unpackDebianPackage('python3-websockets')
  const variables = { PYTHONPATH: join(folder, 'usr/lib/python3/dist-packages') }
  await importWebsockets(variables)
  return variables
}

const found = await findWebsockets().then(
  (variables) => ({ variables }),
  (error: unknown) => ({ reason: error instanceof Error ? error.message : String(error) }),
)

const missing =
  'reason' in found
    ? `no python3 with websockets, neither installed nor from Debian's package: ${found.reason}`
    : undefined

// A skipped test must not look like a passed one in CI.
if (missing !== undefined && process.env['CI'] !== undefined) throw new Error(missing)

/** The environment variables of a program in Python that imports websockets. */
export const pythonVariables: Variables = 'variables' in found ? found.variables : {}

/** `describe` of tests that need Python with websockets. They are skipped on a machine without it, except in CI. */
export const describePython = describeUnless(missing)
