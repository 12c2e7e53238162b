import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface Manifest {
  readonly version: string
  readonly homepage: string
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** The fields of `package.json`. */
export const { version, homepage, optionalDependencies } = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('svc-streams/package.json'), 'utf8'),
) as Manifest

/** The URL of a page of the documentation, such as `reference/errors.md`. */
export const docsUrl = (page: string): string => homepage.replace(/#.*/, `/blob/main/docs/${page}`)

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
