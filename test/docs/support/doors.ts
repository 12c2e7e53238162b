import { readPage } from './block.js'

const { exports } = JSON.parse(readPage('package.json')) as { readonly exports: object }

/** What users import, as package.json names it. */
const doors = Object.keys(exports)
  .filter((path) => path !== './package.json')
  .map((path) => `svc-streams${path.slice(1)}`)

/** What each door gives at run time, by name. */
export const behindDoors: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(
  await Promise.all(
    doors.map(async (door) => [door, (await import(door)) as Readonly<Record<string, unknown>>] as const),
  ),
)
