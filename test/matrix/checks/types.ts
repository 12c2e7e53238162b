import { compile } from '../../package/support/compile.js'
import { install } from '../../package/support/install.js'
import { run } from '../../package/support/run.js'
import type { Check, Subject } from '../check.js'

/** A program of a user under the strictest compiler options. */
const program = 'programs/strict.mts'

/** Compiles a program with the types of the runtime, or by the runtime if it checks types itself. */
export const checkTypes: Check = async (subject) => {
  const failures = await errorsOf(subject)
  return { text: failures.length === 0 ? 'compile' : `${failures.length} errors`, failures }
}

const errorsOf = async ({ runtime, executable, user, temporary }: Subject): Promise<readonly string[]> => {
  const { types } = runtime
  if (types === undefined) {
    const { code, stdout, stderr } = await run(executable, ['check', program], { cwd: user })
    return code === 0 ? [] : [stdout + stderr]
  }
  const tools = await install(temporary, 'types', [types.package])
  const options = { types: [types.name] }
  return compile({ folder: user, tools, name: runtime.name, files: [program], options })
}
