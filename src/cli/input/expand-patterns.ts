import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'

/**
 * The arguments as a shell of Unix passes them: a path with `*` in its last part becomes the files that match it, in the order of
 * their names. The shells of Windows, whose file names contain no `*`, leave this to the program.
 */
export const expandPatterns = (args: readonly string[], platform: NodeJS.Platform): readonly string[] =>
  platform === 'win32' ? args.flatMap(expand) : args

/** A pattern without a match is kept, so that the error message names it. */
const expand = (arg: string): readonly string[] => {
  const { dir, base } = parse(arg)
  if (!base.includes('*')) return [arg]
  const literals = base.split('*').map((text) => text.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  const pattern = new RegExp(`^${literals.join('.*')}$`, 'i')
  const names = namesIn(dir).filter((name) => pattern.test(name))
  return names.length === 0 ? [arg] : names.sort().map((name) => join(dir, name))
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder === '' ? '.' : folder)
  } catch {
    return []
  }
}
