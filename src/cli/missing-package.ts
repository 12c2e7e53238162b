import { optionalDependencies } from './manifest.js'

/**
 * The problem of an import of a package that only commands need: an installation may lack it, as that by
 * `npm install --omit=optional`. `undefined` for any other error.
 */
export const missingPackage = (thrown: unknown): string | undefined => {
  const { code, message } = Object(thrown) as NodeJS.ErrnoException
  if (code !== 'ERR_MODULE_NOT_FOUND') return undefined
  const name = Object.keys(optionalDependencies).find((each) => message.includes(`'${each}'`))
  return name === undefined
    ? undefined
    : `the commands need the package ${name}, which is not installed: npm install --include=optional`
}
