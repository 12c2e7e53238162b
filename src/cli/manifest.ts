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
