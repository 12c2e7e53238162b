import { ConfigurationError } from '../errors/configuration-error.js'
import { Gunzip } from '../platform/browser/gunzip.js'
import type { RecordingPlatform } from './platform.js'
import { recordOn } from './record/record.js'
import { replayOn } from './replay/replay.js'

// The parts of the recording entry point that depend on the platform, for a browser.

const browser: RecordingPlatform = {
  stringSource: (text) => ({ open: () => [text] }),
  urlSource: () => {
    throw new ConfigurationError(
      'source',
      'expected data, such as the body of a fetch: a browser has no files',
    )
  },
  createGunzip: () => new Gunzip(),
  createFile: undefined,
}

export const record = recordOn(browser)
export const replay = replayOn(browser)
