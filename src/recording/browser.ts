import { ConfigurationError } from '../errors/configuration-error.js'
import { Gunzip } from '../platform/browser/gunzip.js'
import type { SourcePlatform } from './read/source.js'
import { recordOn } from './record/record.js'
import { replayOn } from './replay/replay.js'

// The recording entry point in a browser. Its types are those of `index.ts`.

/** Recordings are data: a browser has no files. */
export const browserPlatform: SourcePlatform = {
  stringSource: (text) => ({ open: () => [text] }),
  urlSource: () => {
    throw new ConfigurationError(
      'source',
      'expected data, such as the body of a fetch: a browser has no files',
    )
  },
  createGunzip: () => new Gunzip(),
}

export const record = recordOn(undefined)
export const replay = replayOn(browserPlatform)
