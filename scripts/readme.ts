// `npm run readme`: writes into README.md how to install the package from a clone, and with PUBLISHED=true from the registry.

import { readFileSync, writeFileSync } from 'node:fs'
import { withInstallPart } from './release/install-part.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const isPublished = process.env['PUBLISHED'] === 'true'
writeFileSync('README.md', withInstallPart(readFileSync('README.md', 'utf8'), version, isPublished))
