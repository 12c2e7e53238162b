// Prints the notes of the release of the version of package.json. Fails if CHANGELOG.md lists the version as not released yet.

import { readFileSync } from 'node:fs'
import { notesOf } from './release/notes.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
process.stdout.write(notesOf(readFileSync('CHANGELOG.md', 'utf8'), version))
