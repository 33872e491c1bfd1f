export { AssetStore } from './asset-store';
export { HtmlLayout } from './html-layout';
export { BASE_STYLESHEET, renderDocument } from './render-document';
