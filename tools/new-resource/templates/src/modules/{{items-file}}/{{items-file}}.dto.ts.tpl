import { Label } from '../../common/http';

export class Create{{Item}}Dto {
  @Label(200)
  name!: string;
}
