import { Controller, Get, Module, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RouteRegistry, RoutesModule } from '../../common/http';
import { ControlController, getRoutePolicy, RequireScopes, RoutePolicyValidator } from './route-policy';

@Controller('external/v1/notes')
class NotesController {
  @Get()
  @RequireScopes('sessions:read')
  listNotes() {}

  @Post(':id/pin')
  @RequireScopes('usage:read')
  pinNote() {}
}

@ControlController('notes')
class ControlNotesController extends NotesController {}

@Controller('external/v1/notes')
class UndeclaredController {
  @Get()
  listNotes() {}
}

describe('route policies', () => {
  const startWith = async (...controllers: Type[]) => {
    @Module({ imports: [RoutesModule], controllers, providers: [RoutePolicyValidator] })
    class TestModule {}

    const app = await NestFactory.createApplicationContext(TestModule, { logger: false, abortOnError: false });
    const routes = app.get(RouteRegistry).listRoutes();
    await app.close();
    return routes.map((route) => ({ name: `${route.method} ${route.path}`, policy: getRoutePolicy(route) }));
  };

  it('of a control controller replace those of the handlers that it inherits, and only there', async () => {
    const control = { kind: 'control', permission: 'account.control' };
    expect(await startWith(NotesController, ControlNotesController)).toEqual([
      { name: 'GET /external/v1/notes', policy: { kind: 'token', scopes: ['sessions:read'] } },
      { name: 'POST /external/v1/notes/{id}/pin', policy: { kind: 'token', scopes: ['usage:read'] } },
      { name: 'GET /v1/control/notes', policy: control },
      { name: 'POST /v1/control/notes/{id}/pin', policy: control },
    ]);
  });

  it('of other controllers count as none, and control routes are not inherited', async () => {
    @RequireScopes('sessions:read')
    @Controller('external/v1/other-notes')
    class ClassPolicyController extends NotesController {}

    @Controller('external/v1/more-notes')
    class PlainController extends ControlNotesController {}

    await expect(startWith(ClassPolicyController)).rejects.toThrow('declare no policy: GET /external/v1/other-notes');
    expect(await startWith(PlainController)).toContainEqual({
      name: 'GET /external/v1/more-notes',
      policy: { kind: 'token', scopes: ['sessions:read'] },
    });
  });

  it('must name a machine or a session where their scopes reach machines', async () => {
    @Controller('external/v1/sessions/:id/notes')
    class SessionNotesController {
      @Post()
      @RequireScopes('sessions:write')
      addNote() {}
    }

    @Controller('external/v1/notes')
    class UnclearController {
      @Post(':id/run')
      @RequireScopes('machines:invoke')
      runNote() {}
    }

    expect(await startWith(SessionNotesController)).toHaveLength(1);
    await expect(startWith(UnclearController)).rejects.toThrow(
      'their paths name none: POST /external/v1/notes/{id}/run',
    );
  });

  it('are required of every route', async () => {
    await expect(startWith(UndeclaredController)).rejects.toThrow('declare no policy: GET /external/v1/notes');
  });
});
