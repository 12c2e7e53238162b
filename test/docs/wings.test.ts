import { expect, it } from 'vitest'
import { wingsPicture } from '../../scripts/wings/picture.js'
import { readPage } from './support/block.js'

it('the picture of the wings shows their imports of today: `npm run wings` draws it again', () => {
  expect(readPage('docs/images/wings.svg')).toBe(wingsPicture())
})
