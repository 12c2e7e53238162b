// `npm run wings`: draws the wings and their imports, in docs/images/wings.svg for CONTRIBUTING.md.

import { writeFileSync } from 'node:fs'
import { wingsPicture } from './wings/picture.js'

writeFileSync(new URL('../docs/images/wings.svg', import.meta.url), wingsPicture())
