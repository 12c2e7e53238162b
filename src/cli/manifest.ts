import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface Manifest {
  readonly version: string
  readonly homepage: string
  readonly optionalDependencies: Readonly<Record<string, string>>
}

export const { version, homepage, optionalDependencies } = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('svc-streams/package.json'), 'utf8'),
) as Manifest

/** The URL of a page of the documentation, such as `reference/errors.md`. */
export const docsUrl = (page: string): string => homepage.replace(/#.*/, `/blob/main/docs/${page}`)

/** The problem, if a package of the commands is missing, as after `npm install --omit=optional`. `undefined` for other errors. */
export const missingPackage = (thrown: unknown): string | undefined => {
  const { code, message } = Object(thrown) as NodeJS.ErrnoException
  if (code !== 'ERR_MODULE_NOT_FOUND') return undefined
  const name = Object.keys(optionalDependencies).find((each) => message.includes(`'${each}'`))
  return name === undefined
    ? undefined
    : `the commands need the package ${name}, which is not installed: npm install --include=optional`
}
