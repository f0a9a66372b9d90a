/* Lamplighter: a small adventure for the Game Boy.
 *
 * The light of the lighthouse is out. Find the blade in the cave, cut the brambles on the way to the ruin, push the
 * stone that opens the grate, take the key, open the door on the cliff, and light the lamp.
 *
 * One room fills the screen above a bar. Everybody walks from square to square of 16 pixels. The processor sleeps until
 * the picture has been drawn, so an emulator can run it thousands of times faster than a person plays.
 *
 * Variables without `static` are in lamplighter.sym, where programs find them by name.
 */

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned int u16;

#include "tables.h"

#define REGISTER(address) (*(volatile u8 *)(address))
#define JOYPAD REGISTER(0xFF00)
#define DIVIDER REGISTER(0xFF04)
#define LCD_CONTROL REGISTER(0xFF40)
#define BACKGROUND_PALETTE REGISTER(0xFF47)
#define SPRITE_PALETTE_0 REGISTER(0xFF48)
#define SPRITE_PALETTE_1 REGISTER(0xFF49)
#define WINDOW_Y REGISTER(0xFF4A)
#define WINDOW_X REGISTER(0xFF4B)
#define INTERRUPTS REGISTER(0xFFFF)

#define SCREEN_MAP ((u8 *)0x9800)
#define BAR_MAP ((u8 *)0x9C00)
/* On, bar from the second map, bar shown, tiles from 0x8000, sprites of 8 x 16 shown, background shown. */
#define LCD_ON 0xF7
#define NORMAL_SHADES 0xE4
#define SPRITE_SHADES 0xE0 /* transparent, lightest, dark, darkest */
#define BAR_Y 128
#define TEXT_Y 72
#define BAR_ROWS 9

#define KEY_RIGHT 0x01
#define KEY_LEFT 0x02
#define KEY_UP 0x04
#define KEY_DOWN 0x08
#define KEY_A 0x10
#define KEY_B 0x20
#define KEY_START 0x80

enum { DOWN, UP, LEFT, RIGHT };
enum { TITLE, PLAYING, READING, DEAD, WON };

#define WALK_FRAMES 8
#define SWING_FRAMES 8
#define HURT_FRAMES 64
#define CRABS 2
#define FULL_HEARTS 3
#define START_X 4
#define START_Y 4
#define NO_SQUARE 255

void wait_for_blank(void);
void show_sprites(void);

/* What happens, for programs that look on. */
u8 mode;
u8 room;
u8 square_x, square_y; /* where the player stands, or arrives */
u8 facing;
u8 hearts;
u8 has_sword, has_key;
u8 door_open, brambles_cut, grate_open, lamp_lit;
u8 block_x, block_y; /* the stone in the ruin; NO_SQUARE in other rooms */
u8 rooms_seen;
u8 visited[9];
u8 crabs_beaten;
u8 crab_on[CRABS], crab_x[CRABS], crab_y[CRABS]; /* in pixels */
u8 squares[80];                                  /* kinds of the squares of this room, row by row */
u16 seed;
u8 pixel_x, pixel_y;
u8 hurt; /* frames for which the player is safe after a pinch */
u8 swing;
u8 signs_read;

static u8 frames, walking, pad, pressed, sounding;
static u8 crab_way[CRABS], crab_steps[CRABS];
static u8 sliding, slide_x, slide_y, slide_way;
static const u8 *letters;
static u8 letter_x, letter_y;
static u8 after_text;

/* Tiles to write while the screen is not read. */
static u8 waiting;
static u8 waiting_tile[40];
static u16 waiting_at[40];

static __at(0xDF00) u8 sprites[160];

static const i8 step_x[] = {0, 0, -1, 1};
static const i8 step_y[] = {1, -1, 0, 0};

/* ---- sound: one short tone for each event ---- */

static void play_tone(u8 sweep, u8 length, u8 envelope, u16 tone) {
    REGISTER(0xFF10) = sweep;
    REGISTER(0xFF11) = length;
    REGISTER(0xFF12) = envelope;
    REGISTER(0xFF13) = (u8)tone;
    REGISTER(0xFF14) = 0x80 | (u8)(tone >> 8);
}

static void play_noise(void) {
    REGISTER(0xFF20) = 0x20;
    REGISTER(0xFF21) = 0xA1;
    REGISTER(0xFF22) = 0x53;
    REGISTER(0xFF23) = 0x80;
}

/* ---- screen ---- */

static void write_later(u16 at, u8 tile) {
    waiting_at[waiting] = at;
    waiting_tile[waiting] = tile;
    waiting++;
}

static void write_waiting(void) {
    u8 i;
    for (i = 0; i < waiting; i++) *(u8 *)waiting_at[i] = waiting_tile[i];
    waiting = 0;
}

static u16 map_at(u8 x, u8 y) { return 0x9800 + (u16)y * 64 + (u16)x * 2; }

static void change_square(u8 x, u8 y, u8 kind) {
    u16 at = map_at(x, y);
    const u8 *tiles = kind_tiles + (u16)kind * 4;
    squares[y * 10 + x] = kind;
    write_later(at, tiles[0]);
    write_later(at + 1, tiles[1]);
    write_later(at + 32, tiles[2]);
    write_later(at + 33, tiles[3]);
}

static void show_bar(void) {
    u8 i;
    for (i = 0; i < FULL_HEARTS; i++) write_later(0x9C21 + i, i < hearts ? TILE_FULL_HEART : TILE_EMPTY_HEART);
    write_later(0x9C25, has_sword ? TILE_SMALL_SWORD : TILE_LETTERS);
    write_later(0x9C27, has_key ? TILE_SMALL_KEY : TILE_LETTERS);
}

static void turn_screen_off(void) {
    wait_for_blank();
    LCD_CONTROL = 0;
}

/* Draw the bar and the rows below, which a text raises into view; the screen is off. */
static void draw_bar(void) {
    u8 *at = BAR_MAP;
    u8 i;
    u16 place;
    for (place = 0; place < BAR_ROWS * 32; place++) at[place] = TILE_LETTERS;
    for (i = 0; i < 20; i++) at[i] = TILE_EDGE;
    at = BAR_MAP + 32 + 8;
    for (i = 0; i < 11; i++) at[i] = TILE_LETTERS + room_names[room * 11 + i];
    waiting = 0;
    show_bar();
    write_waiting();
}

static void hide_sprites(void) {
    u8 i;
    for (i = 0; i < 160; i++) sprites[i] = 0;
}

/* Draw the room from `squares`; the screen is off. */
static void draw_room(void) {
    u8 x, y;
    u8 *at = SCREEN_MAP;
    const u8 *kind = squares;
    const u8 *tiles;
    for (y = 0; y < 8; y++) {
        for (x = 0; x < 10; x++) {
            tiles = kind_tiles + (u16)*kind * 4;
            at[0] = tiles[0];
            at[1] = tiles[1];
            at[32] = tiles[2];
            at[33] = tiles[3];
            at += 2;
            kind++;
        }
        at += 44;
    }
}

/* ---- rooms ---- */

static void light_tower(void) {
    squares[4] = KIND_TOWER_LIT;
    squares[5] = KIND_TOWER_LIT_RIGHT;
}

static void enter_room(void) {
    u8 i, kind;
    const u8 *from = room_squares + (u16)room * 80;
    const u8 *crabs = room_crabs + room * (CRABS * 2);
    block_x = block_y = NO_SQUARE;
    for (i = 0; i < 80; i++) {
        kind = from[i];
        if (kind == KIND_SWORD && has_sword) kind = KIND_STONE;
        else if (kind == KIND_KEY && (has_key || door_open)) kind = KIND_STONE;
        else if (kind == KIND_GRATE && grate_open) kind = KIND_STONE;
        else if (kind == KIND_DOOR && door_open) kind = KIND_SAND;
        else if (kind == KIND_BRAMBLES && brambles_cut) kind = KIND_SAND;
        else if (kind == KIND_BLOCK) {
            if (grate_open) kind = KIND_STONE;
            else {
                block_x = i % 10;
                block_y = i / 10;
            }
        } else if (kind == KIND_PLATE && grate_open) {
            kind = KIND_BLOCK;
        }
        squares[i] = kind;
    }
    if (lamp_lit && room == ROOM_LIGHTHOUSE) light_tower();
    for (i = 0; i < CRABS; i++) {
        crab_on[i] = crabs[0] != NO_SQUARE;
        crab_x[i] = crab_on[i] ? crabs[0] << 4 : 0;
        crab_y[i] = crab_on[i] ? crabs[1] << 4 : 0;
        crab_steps[i] = 0;
        crab_way[i] = i;
        crabs += 2;
    }
    if (!visited[room]) {
        visited[room] = 1;
        rooms_seen++;
    }
    sliding = 0;
    swing = 0;
}

static void show_room(void) {
    turn_screen_off();
    hide_sprites();
    draw_room();
    draw_bar();
    WINDOW_Y = BAR_Y;
    LCD_CONTROL = LCD_ON;
}

static void leave_room(void) {
    BACKGROUND_PALETTE = 0x94;
    wait_for_blank();
    wait_for_blank();
    BACKGROUND_PALETTE = 0x40;
    wait_for_blank();
    if (facing == LEFT) { room--; square_x = 9; }
    else if (facing == RIGHT) { room++; square_x = 0; }
    else if (facing == UP) { room -= 3; square_y = 7; }
    else { room += 3; square_y = 0; }
    pixel_x = square_x << 4;
    pixel_y = square_y << 4;
    enter_room();
    show_room();
    BACKGROUND_PALETTE = NORMAL_SHADES;
}

/* ---- sentences ---- */

static void say(const u8 *text, u8 then) {
    letters = text;
    letter_x = 1;
    letter_y = 1;
    after_text = then;
    mode = READING;
    walking = 0;
}

static void start_text(void) {
    u8 x, y;
    /* Empty the rows of the bar, a row a frame, before the text rises. */
    for (y = 1; y < BAR_ROWS; y++) {
        wait_for_blank();
        write_waiting();
        for (x = 0; x < 20; x++) BAR_MAP[(u16)y * 32 + x] = TILE_LETTERS;
    }
    WINDOW_Y = TEXT_Y;
}

static void end_text(void) {
    u8 i;
    wait_for_blank();
    WINDOW_Y = BAR_Y;
    for (i = 0; i < 20; i++) BAR_MAP[32 + i] = TILE_LETTERS;
    wait_for_blank();
    for (i = 0; i < 11; i++) BAR_MAP[40 + i] = TILE_LETTERS + room_names[room * 11 + i];
    show_bar();
}

static void write_letter(void) {
    u8 letter = *letters;
    if (letter == 255) return;
    letters++;
    if (letter == 254) {
        letter_x = 1;
        letter_y += 2;
        return;
    }
    write_later(0x9C00 + (u16)letter_y * 32 + letter_x, TILE_LETTERS + letter);
    letter_x++;
}

static void read_on(void) {
    if (*letters != 255) {
        write_letter();
        write_letter();
        if (pressed & (KEY_A | KEY_B | KEY_START)) {
            while (*letters != 255 && waiting < 20) write_letter();
        }
        if (*letters == 255) write_later(0x9C00 + (BAR_ROWS - 1) * 32 + 18, TILE_ARROW);
    } else if (pressed & (KEY_A | KEY_B | KEY_START)) {
        mode = after_text;
        if (mode == PLAYING) end_text();
    }
}

/* ---- player ---- */

static u8 ahead_x, ahead_y, ahead_kind;

/* Find the square in front of the player. Returns 0 if it is in another room. */
static u8 look_ahead(void) {
    ahead_x = square_x + step_x[facing];
    ahead_y = square_y + step_y[facing];
    if (ahead_x >= 10 || ahead_y >= 8) return 0;
    ahead_kind = squares[ahead_y * 10 + ahead_x];
    return 1;
}

static void open_door(void) {
    door_open = 1;
    has_key = 0;
    change_square(ahead_x, ahead_y, KIND_SAND);
    show_bar();
    play_tone(0x16, 0x80, 0xF3, 1750);
}

static void begin_text(const u8 *text, u8 then) {
    say(text, then);
    start_text();
}

static void arrive(void) {
    u8 kind = squares[square_y * 10 + square_x];
    if (kind == KIND_SWORD) {
        has_sword = 1;
        change_square(square_x, square_y, KIND_STONE);
        show_bar();
        play_tone(0x15, 0x80, 0xF4, 1600);
        begin_text(text_sword, PLAYING);
    } else if (kind == KIND_KEY) {
        has_key = 1;
        change_square(square_x, square_y, KIND_STONE);
        show_bar();
        play_tone(0x15, 0x80, 0xF4, 1700);
        begin_text(text_key, PLAYING);
    } else if (kind == KIND_HEART) {
        if (hearts < FULL_HEARTS) {
            hearts++;
            change_square(square_x, square_y, room_ground[room]);
            show_bar();
            play_tone(0x14, 0x80, 0xF2, 1800);
        }
    }
}

/* Push the stone ahead. Returns 1 if it moves. */
static u8 push_block(void) {
    u8 x = ahead_x + step_x[facing];
    u8 y = ahead_y + step_y[facing];
    u8 kind;
    if (grate_open || x >= 10 || y >= 8) return 0;
    kind = squares[y * 10 + x];
    if (kind != KIND_STONE && kind != KIND_PLATE) return 0;
    change_square(ahead_x, ahead_y, KIND_STONE);
    slide_x = ahead_x << 4;
    slide_y = ahead_y << 4;
    slide_way = facing;
    sliding = WALK_FRAMES;
    block_x = x;
    block_y = y;
    play_noise();
    return 1;
}

static void slide_block(void) {
    slide_x += step_x[slide_way] << 1;
    slide_y += step_y[slide_way] << 1;
    if (--sliding) return;
    if (squares[block_y * 10 + block_x] == KIND_PLATE) {
        grate_open = 1;
        change_square(2, 3, KIND_STONE);
        play_tone(0x16, 0x80, 0xF5, 1500);
    }
    change_square(block_x, block_y, KIND_BLOCK);
}

static void act(void) {
    if (look_ahead()) {
        if (ahead_kind == KIND_SIGN || ahead_kind == KIND_TABLET) {
            signs_read++;
            begin_text(room_signs[room], PLAYING);
            return;
        }
        if (ahead_kind == KIND_DOOR) {
            if (has_key) open_door();
            else begin_text(text_locked, PLAYING);
            return;
        }
        if (ahead_kind == KIND_TOWER_BOTTOM || ahead_kind == KIND_TOWER_BOTTOM_RIGHT) {
            lamp_lit = 1;
            change_square(4, 0, KIND_TOWER_LIT);
            change_square(5, 0, KIND_TOWER_LIT_RIGHT);
            play_tone(0x17, 0x80, 0xF7, 1650);
            begin_text(text_won, WON);
            return;
        }
    }
    if (has_sword) {
        swing = SWING_FRAMES;
        play_noise();
        if (look_ahead() && ahead_kind == KIND_BRAMBLES) {
            brambles_cut = 1;
            change_square(ahead_x, ahead_y, KIND_SAND);
        }
    }
}

static void walk(u8 way) {
    facing = way;
    if (!look_ahead()) {
        walking = WALK_FRAMES;
        leave_room();
        walking = 0;
        return;
    }
    if (ahead_kind == KIND_DOOR && has_key) {
        open_door();
        return;
    }
    if (ahead_kind == KIND_BLOCK && !push_block()) return;
    if (ahead_kind >= FIRST_SOLID && ahead_kind != KIND_BLOCK) return;
    square_x = ahead_x;
    square_y = ahead_y;
    walking = WALK_FRAMES;
}

static void move_player(void) {
    if (walking) {
        pixel_x += step_x[facing] << 1;
        pixel_y += step_y[facing] << 1;
        if (!--walking) arrive();
        return;
    }
    if (swing) {
        swing--;
        return;
    }
    if (pressed & (KEY_A | KEY_B)) act();
    else if (pad & KEY_LEFT) walk(LEFT);
    else if (pad & KEY_RIGHT) walk(RIGHT);
    else if (pad & KEY_UP) walk(UP);
    else if (pad & KEY_DOWN) walk(DOWN);
    if (walking) {
        pixel_x += step_x[facing] << 1;
        pixel_y += step_y[facing] << 1;
        walking--;
    }
}

/* ---- crabs ---- */

static u8 draw_number(void) {
    seed ^= seed << 7;
    seed ^= seed >> 9;
    seed ^= seed << 8;
    return (u8)seed;
}

static u8 distance(u8 a, u8 b) { return a > b ? a - b : b - a; }

static void move_crab(u8 i) {
    u8 x, y, number;
    if (crab_steps[i]) {
        crab_steps[i]--;
        crab_x[i] += step_x[crab_way[i]];
        crab_y[i] += step_y[crab_way[i]];
        return;
    }
    number = draw_number();
    if (number & 4) crab_way[i] = number & 3;
    x = (crab_x[i] >> 4) + step_x[crab_way[i]];
    y = (crab_y[i] >> 4) + step_y[crab_way[i]];
    /* Crabs stay away from the edge, where the player enters. */
    if (x < 1 || x > 8 || y < 1 || y > 6 || squares[y * 10 + x] >= FIRST_SOLID) {
        crab_way[i] = number & 3;
        return;
    }
    crab_steps[i] = 16;
}

static void meet_crab(u8 i) {
    u8 x = pixel_x, y = pixel_y;
    if (swing) {
        x += step_x[facing] * 14;
        y += step_y[facing] * 14;
        if (distance(x, crab_x[i]) < 14 && distance(y, crab_y[i]) < 14) {
            crab_on[i] = 0;
            crabs_beaten++;
            play_tone(0x1C, 0x80, 0xF2, 1200);
            return;
        }
        x = pixel_x;
        y = pixel_y;
    }
    if (hurt) return;
    if (distance(x, crab_x[i]) < 11 && distance(y, crab_y[i]) < 11) {
        hurt = HURT_FRAMES;
        hearts--;
        play_tone(0x1D, 0x40, 0xF3, 900);
        show_bar();
        if (!hearts) begin_text(text_dead, DEAD);
    }
}

/* ---- sprites ---- */

static u8 *next_sprite;

static void put_sprite(u8 x, u8 y, u8 tile, u8 flipped) {
    u8 *to = next_sprite;
    to[0] = y + 16;
    to[1] = x + 8;
    to[4] = y + 16;
    to[5] = x + 16;
    if (flipped) {
        to[2] = tile + 2;
        to[6] = tile;
        to[3] = to[7] = 0x20;
    } else {
        to[2] = tile;
        to[6] = tile + 2;
        to[3] = to[7] = 0;
    }
    next_sprite = to + 8;
}

static void put_nothing(void) {
    next_sprite[0] = 0;
    next_sprite[4] = 0;
    next_sprite += 8;
}

static void put_sprites(void) {
    u8 i, tile, flipped;
    next_sprite = sprites;
    if (swing) {
        if (facing == LEFT) put_sprite(pixel_x - 14, pixel_y + 2, SPRITE_BLADE_SIDE, 1);
        else if (facing == RIGHT) put_sprite(pixel_x + 14, pixel_y + 2, SPRITE_BLADE_SIDE, 0);
        else if (facing == UP) put_sprite(pixel_x + 2, pixel_y - 14, SPRITE_BLADE_UP, 0);
        else {
            put_sprite(pixel_x - 2, pixel_y + 14, SPRITE_BLADE_UP, 0);
            next_sprite[-5] = next_sprite[-1] = 0x40; /* upside down */
        }
    } else put_nothing();
    if (hurt & 4) put_nothing();
    else {
        flipped = walking & 4;
        if (facing == DOWN) tile = SPRITE_HERO_DOWN;
        else if (facing == UP) tile = SPRITE_HERO_UP;
        else {
            tile = flipped ? SPRITE_HERO_STRIDE : SPRITE_HERO_SIDE;
            flipped = facing == LEFT;
        }
        put_sprite(pixel_x, pixel_y, tile, flipped);
    }
    for (i = 0; i < CRABS; i++) {
        if (crab_on[i]) put_sprite(crab_x[i], crab_y[i], frames & 16 ? SPRITE_CRAB : SPRITE_CRAB_STEP, 0);
        else put_nothing();
    }
    if (sliding) put_sprite(slide_x, slide_y, SPRITE_STONE_BLOCK, 0);
    else put_nothing();
    if (mode != PLAYING) {
        for (i = 0; i < 48; i += 4) {
            if (sprites[i] > TEXT_Y) sprites[i] = 0;
        }
    }
}

/* ---- the game ---- */

static void play(void) {
    u8 i;
    move_player();
    if (sliding) slide_block();
    if (hurt) hurt--;
    for (i = 0; i < CRABS; i++) {
        if (!crab_on[i]) continue;
        if ((frames ^ i) & 1) move_crab(i);
        else meet_crab(i);
        if (mode != PLAYING) break;
    }
    put_sprites();
}

static void show_title(void) {
    u8 i;
    for (i = 0; i < 9; i++) visited[i] = 0;
    has_sword = has_key = door_open = brambles_cut = grate_open = lamp_lit = rooms_seen = 0;
    room = ROOM_LIGHTHOUSE;
    hearts = FULL_HEARTS;
    enter_room();
    visited[room] = rooms_seen = 0;
    show_room();
    begin_text(text_title, TITLE);
    while (*letters != 255) {
        write_letter();
        wait_for_blank();
        write_waiting();
    }
    mode = TITLE;
}

static void new_game(void) {
    seed = ((u16)DIVIDER << 8) | frames | 1;
    room = ROOM_VILLAGE;
    square_x = START_X;
    square_y = START_Y;
    pixel_x = START_X * 16;
    pixel_y = START_Y * 16;
    facing = DOWN;
    hurt = walking = crabs_beaten = signs_read = 0;
    enter_room();
    mode = PLAYING;
    show_room();
    put_sprites();
}

static void read_pad(void) {
    u8 now;
    JOYPAD = 0x20;
    now = JOYPAD;
    now = JOYPAD & 0x0F;
    JOYPAD = 0x10;
    (void)JOYPAD;
    (void)JOYPAD;
    now |= (JOYPAD & 0x0F) << 4;
    JOYPAD = 0x30;
    now = ~now;
    pressed = now & ~pad;
    pad = now;
}

void main(void) {
    u16 i;
    /* Interrupts wake the processor once a picture; the screen must be on for the first of them. */
    INTERRUPTS = 1;
    LCD_CONTROL = 0x80;
    __asm__("ei");
    turn_screen_off();
    for (i = 0; i < TILES * 16; i++) *(u8 *)(0x8000 + i) = tile_pixels[i];
    BACKGROUND_PALETTE = NORMAL_SHADES;
    SPRITE_PALETTE_0 = SPRITE_PALETTE_1 = SPRITE_SHADES;
    REGISTER(0xFF42) = REGISTER(0xFF43) = 0;
    WINDOW_X = 7;
    REGISTER(0xFF26) = 0x80;
    REGISTER(0xFF24) = 0x77;
    REGISTER(0xFF25) = 0xFF;
    LCD_CONTROL = LCD_ON;
    show_title();
    for (;;) {
        wait_for_blank();
        show_sprites();
        write_waiting();
        read_pad();
        frames++;
        if (mode == PLAYING) play();
        else if (mode == READING) {
            read_on();
            put_sprites();
        } else if (pressed & KEY_START) {
            if (mode == TITLE) new_game();
            else show_title();
        }
    }
}
