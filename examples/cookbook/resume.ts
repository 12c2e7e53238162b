// resume.ts
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'svc-streams'
import { paper } from 'svc-streams/paper'
import { record, resume } from 'svc-streams/recording'
import strategy, { options } from './stops.js'

/**
 * Runs the account over what earlier runs have recorded, then live, as one run: after a crash its position, its stops and
 * the highest price since the entry are those that it had. Records what happens from now on, for the next start.
 */
export const resumed$ = (client: Client, folder: string) => {
  mkdirSync(folder, { recursive: true })
  const files = readdirSync(folder).map((name) => join(folder, name)) // without the file of this run
  const tokens = Object.values(options.tokens)
  record(client, {
    topics: tokens.map(({ topic }) => topic),
    mints: tokens.map(({ address }) => address),
    interval: 500,
    to: join(folder, `market.${Date.now()}.ndjson`),
  })
  return resume(client, files, (own) => paper(own, strategy, options))
}
