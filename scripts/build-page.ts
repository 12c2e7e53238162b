// `npm run build:page`: the files of the page of the dashboard, in dist/dashboard.

import { buildPage } from './page/build-page.js'

await buildPage('dist/dashboard')
