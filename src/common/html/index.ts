export { HtmlLayout, type NavigationPage } from './html-layout';
export { BASE_STYLESHEET, renderDocument } from './render-document';
