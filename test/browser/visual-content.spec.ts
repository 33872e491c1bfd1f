import { ContentFixture } from './support/content-fixture';
import { expectAccessiblePage } from './support/visual-checks';

const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 800 } };

describe('the pages with content are accessible and fit the screen', () => {
  let fixture: ContentFixture;
  let artifactId: string;
  let tokenId: string;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    const patch = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same line\n-old line\n+new line\n';
    artifactId = await fixture.putArtifact('turns/a-rather-long-name-of-a-turn.patch', 'text/x-diff', patch);
    tokenId = (await fixture.createToken('deploys', ['sessions:content', 'artifacts:content'])).id;
  });
  afterAll(() => fixture?.stop());

  it.each(Object.entries(SIZES))('%s', async (name, size) => {
    const { page } = fixture.ada;
    const expectSound = (pageName: string) => expectAccessiblePage(fixture.ada, `${name}-${pageName}`);
    await page.setViewportSize(size);
    await page.goto('/console');
    await page.getByRole('link', { name: 'build box' }).waitFor();
    await expectSound('home');
    await page.goto('/console/artifacts');
    await page.getByRole('link', { name: /a-rather-long-name/ }).waitFor();
    await expectSound('artifacts');
    await page.goto(`/console/tokens/${tokenId}`);
    await page.getByRole('checkbox', { name: 'build box' }).check();
    await expectSound('token-share');
    await page.goto(`/console/artifacts/${artifactId}`);
    await page.getByRole('button', { name: 'Share …' }).click();
    await expectSound('artifact-share');
    await page.getByRole('combobox', { name: /^Who/ }).selectOption('all');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke All tokens' }).click();
    await expectSound('artifact-revoke');
  });
});
