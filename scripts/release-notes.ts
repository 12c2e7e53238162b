// Prints the notes of the release of the version of package.json. Fails if CHANGELOG.md lists the version as not released yet, or
// if the README of the release says to install the package from a clone.

import { readFileSync } from 'node:fs'
import { withInstallPart } from './release/install-part.js'
import { notesOf } from './release/notes.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const readme = readFileSync('README.md', 'utf8')
if (readme !== withInstallPart(readme, version, true))
  throw new Error('README.md says to install from a clone: run PUBLISHED=true npm run readme')
process.stdout.write(notesOf(readFileSync('CHANGELOG.md', 'utf8'), version))
